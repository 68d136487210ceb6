/** The only file that knows Bull, which carries tickets to workers; what a job is and may do is in its record. */
import { setTimeout as sleep } from 'node:timers/promises';
import Bull from 'bull';
import { Redis } from 'ioredis';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';

/**
 * Lets one job start, which need not be the one that it is named after: scripts/take.lua decides. A second ticket of the
 * same name has no effect while the first is there.
 */
export type Ticket = { readonly id: string; readonly dispatch: number };

export type Queue = {
  /** For Bull Board. */
  readonly bull: Bull.Queue<Ticket>;
  deliver(ticket: Ticket): Promise<void>;
  /** Hands tickets to `run`, `concurrency` at once. */
  start(concurrency: number, run: (ticket: Ticket) => Promise<void>): void;
  /** Takes no more; what runs goes on. */
  pause(): Promise<void>;
  close(): Promise<void>;
};

/** When Bull takes a worker for dead, and how often it looks. */
export type QueueTiming = { readonly lockMs: number; readonly stalledMs: number };

/** How long a pause waits until Bull has started: paused or closed before, it may never end. Without Redis it never starts. */
const BEGIN_MS = 3_000;

export const openQueue = (
  { url, prefix }: Config['redis'],
  log: Log,
  { lockMs, stalledMs }: QueueTiming = { lockMs: 15_000, stalledMs: 5_000 },
): Queue => {
  const connections = new Map<string, Redis>();
  let [isEnding, isClosed] = [false, false];
  let begun = { promise: Promise.resolve(), resolve: () => {} };
  const bull = new Bull<Ticket>('jobs', {
    prefix: `${prefix}:bull`,
    createClient: (type) => {
      const connection = new Redis(url, { maxRetriesPerRequest: null, enableReadyCheck: false });
      connections.set(type, connection);
      if (type === 'bclient') onWait(connection, () => begun.resolve());
      // Bull connects again where it is closed while it starts.
      connection.on('connect', () => isClosed && connection.disconnect());
      return connection;
    },
    settings: {
      lockDuration: lockMs,
      stalledInterval: stalledMs,
      // A lost worker is found by its lease and counted in the record. A ticket that comes again does no harm.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      retryProcessDelay: 1000,
    },
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  // Nobody can wait for what it returns, and that rejects when the queue is closed before its connections are ready.
  bull.setWorkerName = async () => {};
  bull.on('error', (error) => log.warn({ err: error }, 'queue'));
  bull.on('failed', ({ data }, error) =>
    log.error({ job_id: data.id, err: error }, 'delivery failed'),
  );

  return {
    bull,
    deliver: async (ticket) => {
      await bull.add(ticket, { jobId: `${ticket.id}.${ticket.dispatch}` });
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

/** Calls `then` when Bull waits for a ticket. */
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
