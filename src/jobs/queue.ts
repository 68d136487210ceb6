/** The only file that knows Bull, which carries tickets to workers; what a job is and may do is in its record. */
import Bull from 'bull';
import { Redis } from 'ioredis';
import { atMost } from '../async/at-most.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';

/**
 * Lets one job start, which need not be the one that it is named after: scripts/take.lua decides. A second ticket of the
 * same name has no effect while the first is there.
 */
export type Ticket = { readonly id: string; readonly dispatch: number };

export type Queue = {
  deliver(ticket: Ticket): Promise<void>;
  /** Hands tickets to `run`, `concurrency` at once. */
  start(concurrency: number, run: (ticket: Ticket) => Promise<void>): void;
  /** Takes no more; what runs goes on. */
  pause(): Promise<void>;
  close(): Promise<void>;
};

/** When Bull takes a worker for dead, and how often it looks. */
export type QueueTiming = { readonly lockMs: number; readonly stalledMs: number };

/** How long a start may go on when the queue is paused: without Redis it has no end. */
const START_MS = 1000;

export const openQueue = (
  { url, prefix }: Config['redis'],
  log: Log,
  { lockMs, stalledMs }: QueueTiming = { lockMs: 15_000, stalledMs: 5_000 },
): Queue => {
  const connections = new Map<string, Redis>();
  const bull = new Bull<Ticket>('jobs', {
    prefix: `${prefix}:bull`,
    createClient: (type) => {
      const connection = new Redis(url, { maxRetriesPerRequest: null, enableReadyCheck: false });
      connections.set(type, connection);
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
  let started: Promise<unknown> = Promise.resolve();
  bull.on('error', (error) => log.warn({ err: error }, 'queue'));
  bull.on('failed', ({ data }, error) =>
    log.error({ job_id: data.id, err: error }, 'delivery failed'),
  );

  return {
    deliver: async (ticket) => {
      await bull.add(ticket, { jobId: `${ticket.id}.${ticket.dispatch}` });
    },
    start: (concurrency, run) => {
      // The promise of a paused queue stays open for ever, so it is not waited for.
      void bull.process(concurrency, ({ data }) => run(data));
      // Bull names its blocking connection and hears no answer: a connection that is cut off before would end this process.
      started = atMost(START_MS, [bull.setWorkerName()]);
    },
    pause: async () => {
      await started;
      const paused = bull.pause(true, true);
      // Bull waits up to half a second for its blocking command; disconnecting ends that.
      connections.get('bclient')?.disconnect();
      await paused;
    },
    close: async () => {
      // Bull waits for its connection before it ends it.
      if (connections.get('client')?.status === 'ready') await bull.close();
      for (const connection of connections.values()) connection.disconnect();
    },
  };
};
