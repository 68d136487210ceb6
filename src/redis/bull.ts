/** The only file that knows Bull, a queue in Redis: what it carries, and when a piece of work is done, is up to its users. */
import { setTimeout as sleep } from 'node:timers/promises';
import Bull from 'bull';
import { Redis } from 'ioredis';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { logRedisFailed } from './connection.ts';
import { isConnectionError, refusedWrite } from './errors.ts';

export type BullQueue<T> = {
  /** A second one of the same name has no effect while the first is there. */
  add(name: string, data: T): Promise<void>;
  /** Hands what was added to `run`, `concurrency` at once. */
  start(concurrency: number, run: (data: T) => Promise<void>): void;
  /** Takes no more; what runs goes on. */
  pause(): Promise<void>;
  close(): Promise<void>;
};

/** When Bull takes a worker for dead, and how often it looks. */
export type QueueTiming = { readonly lockMs: number; readonly stalledMs: number };

/** Thrown by `run` to be called again with the same data after so long; this is no failure. */
export class RunAgain extends Error {
  override readonly name = 'RunAgain';
  readonly delayMs: number;

  constructor(delayMs: number) {
    super(`again in ${delayMs} ms`);
    this.delayMs = delayMs;
  }
}

type BullOptions = QueueTiming & {
  /** Whether what failed is run again, 5 s later or when its RunAgain says; else it is dropped. */
  readonly repeats: boolean;
};

/** Before work that failed without saying when it is to be run again. */
const AGAIN_MS = 5_000;
/** How long a pause waits until Bull has started: paused or closed before, it may never end. Without Redis it never starts. */
const BEGIN_MS = 3_000;

export const openBull = <T>(
  name: string,
  { url, prefix }: Config['redis'],
  log: Log,
  { lockMs, stalledMs, repeats }: BullOptions,
): BullQueue<T> => {
  const connections = new Map<string, Redis>();
  let [isEnding, isClosed] = [false, false];
  let begun = { promise: Promise.resolve(), resolve: () => {} };
  const bull = new Bull<T>(name, {
    prefix: `${prefix}:bull`,
    createClient: (type) => {
      const connection = new Redis(url, {
        maxRetriesPerRequest: null,
        enableReadyCheck: false,
        ...(type === 'bclient' && { connectionName: workerName(prefix, name) }),
      });
      connections.set(type, connection);
      if (type === 'bclient') onWait(connection, () => begun.resolve());
      // Bull connects again where it is closed while it starts.
      connection.on('connect', () => isClosed && connection.disconnect());
      return connection;
    },
    settings: {
      lockDuration: lockMs,
      stalledInterval: stalledMs,
      // Who lost its worker is run again, however often that happens.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      retryProcessDelay: 1000,
      backoffStrategies: {
        asSaid: (_made: number, error: Error) =>
          error instanceof RunAgain ? error.delayMs : AGAIN_MS,
      },
    },
    defaultJobOptions: {
      removeOnComplete: true,
      removeOnFail: true,
      stackTraceLimit: 1,
      ...(repeats && { attempts: Number.MAX_SAFE_INTEGER, backoff: { type: 'asSaid' } }),
    },
  });
  // The connection has its name already. Nobody can wait for what this returns, and that rejects when the queue is closed
  // before its connections are ready.
  bull.setWorkerName = async () => {};
  bull.on('error', (error) => {
    // Each of a worker's many slots meets it, again each second.
    if (isConnectionError(error) || refusedWrite(error)) logRedisFailed(log, error);
    else log.warn({ err: error, queue: name }, 'queue');
  });
  bull.on('failed', ({ id }, error) => {
    if (!(error instanceof RunAgain))
      log.error({ ticket: id, queue: name, err: error }, 'work from the queue failed');
  });

  return {
    add: async (jobId, data) => {
      await bull.add(data, { jobId });
    },
    start: (concurrency, run) => {
      begun = withResolver();
      // It resolves never once the queue is paused, and rejects when that happens while Bull is still starting.
      bull
        .process(concurrency, ({ data }) => run(data))
        .catch((error) => {
          if (!isEnding) throw error;
        });
    },
    pause: async () => {
      isEnding = true;
      await Promise.race([begun.promise, sleep(BEGIN_MS, undefined, { ref: false })]);
      const paused = bull.pause(true, true);
      // Bull waits up to half a second for its blocking command; disconnecting ends that.
      connections.get('bclient')?.disconnect();
      await paused;
    },
    close: async () => {
      isEnding = true;
      // Bull waits for its connection before it ends it.
      if (connections.get('client')?.status === 'ready') await bull.close();
      isClosed = true;
      for (const connection of connections.values()) connection.disconnect();
    },
  };
};

/** The name by which Bull finds the connections of workers: its `clientName`. */
const workerName = (prefix: string, queue: string): string =>
  `${prefix}:bull:${Buffer.from(queue).toString('base64')}`;

/** Bull's queues, to be read only. Opened at the first use, as few operators look at them. */
export const openBullQueues = (names: readonly string[], { url, prefix }: Config['redis']) => {
  let queues: readonly Bull.Queue[] | undefined;
  return {
    queues: (): readonly Bull.Queue[] => {
      queues ??= names.map((name) => new Bull(name, url, { prefix: `${prefix}:bull` }));
      return queues;
    },
    close: async (): Promise<void> => {
      await Promise.all((queues ?? []).map((queue) => queue.close()));
    },
  };
};

/** Calls `then` when Bull waits for work. */
const onWait = (connection: Redis, then: () => void): void => {
  const send = connection.sendCommand.bind(connection);
  connection.sendCommand = (command, stream) => {
    if (command.name === 'brpoplpush') then();
    return send(command, stream);
  };
};

const withResolver = () => {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
};
