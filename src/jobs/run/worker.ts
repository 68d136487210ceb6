import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../../async/repeat.ts';
import type { Config } from '../../config.ts';
import type { Log } from '../../log.ts';
import type { Enhance } from '../../operations/enhance.ts';
import type { Redises } from '../../redis.ts';
import { inScope, saneTraceparent } from '../../scope.ts';
import type { Files } from '../../storage/files.ts';
import { inside } from '../../tracing.ts';
import { openChunkList } from '../chunks/chunk-list.ts';
import { startHelping } from '../chunks/help.ts';
import type { Queue, Ticket } from '../queue.ts';
import type { Jobs } from '../record/jobs.ts';
import type { JobRecord } from '../record/record.ts';
import type { Signals } from '../record/signals.ts';
import { type AttemptTiming, type End, runAttempt } from './attempt.ts';
import { openAttempts } from './attempts.ts';
import { type AttemptWatch, type WatchParts, watchAttempt } from './watch.ts';

export type WorkerParts = WatchParts & {
  readonly stores: Redises;
  readonly config: Config;
  readonly log: Log;
  readonly files: Files;
  readonly jobs: Jobs;
  readonly signals: Signals;
  readonly queue: Queue;
  readonly enhance: Enhance;
};

export type WorkerTiming = AttemptTiming & {
  /** After this long without a beat an attempt's worker is taken for lost. */
  readonly leaseMs: number;
  /** How often to look at what is due, and whether Bull has a ticket for it. */
  readonly lookMs: number;
  readonly sweepMs: number;
  /** For so long a worker does not help after a chunk that it could not do. */
  readonly restMs: number;
};

export const workerTiming: WorkerTiming = {
  beatMs: 250,
  silenceMs: 1_000,
  retryMs: 1_000,
  unavailableMs: 3_000,
  leaseMs: 15_000,
  lookMs: 500,
  sweepMs: 300_000,
  restMs: 10_000,
};

/** How long putting jobs back may take. With what ends after it, less than the 7 s that supervisors wait. */
const PUT_BACK_MS = 4_000;

const atMost = (ms: number, work: Iterable<Promise<unknown>>): Promise<unknown> =>
  Promise.race([Promise.allSettled(work), sleep(ms, undefined, { ref: false })]);

/**
 * Runs jobs until it is closed: takes no more then, lets those that run go on for WORKER_DRAIN_SECONDS, and puts the
 * rest back into the queue without losing an attempt.
 */
export const startWorker = async (parts: WorkerParts, timing: WorkerTiming = workerTiming) => {
  const { stores, config, log, files, jobs, queue } = parts;
  const attempts = openAttempts(stores, config, timing.leaseMs);
  const chunks = openChunkList(stores, timing.leaseMs);
  const [soon, now] = [new AbortController(), new AbortController()];
  const closing = soon.signal;
  const leaving = { soon: soon.signal, now: now.signal };
  const running = new Set<Promise<void>>();

  const deliverDue = async () => {
    const { tickets, ended } = await attempts.due(config.jobs.concurrency);
    for (const ticket of tickets) await queue.deliver(ticket);
    for (const id of ended) await files.removeJob(id);
  };

  const renewTickets = async (): Promise<void> => {
    try {
      await deliverDue();
    } catch (error) {
      log.warn(
        { err: error },
        'tickets could not be renewed; the next look at what is due does it',
      );
    }
  };

  const run = async (ticket: Ticket): Promise<void> => {
    // Another worker, which looks at what is due, makes a new ticket.
    if (closing.aborted) return;
    const [said, id, fence, record] = await attempts.take(ticket, randomUUID());
    if (said === 'none') return;
    // The ticket may have been that of another job, which needs a new one. The job that was taken does not wait for that.
    const renewed = renewTickets();
    if (said === 'taken') {
      const job = jobs.read(record);
      if (job.fence === fence) await attempt(job);
    }
    if (!(await jobs.isUnfinished(id))) await files.removeJob(id);
    await renewed;
    // Its end may have let the account's next job in.
    if (!closing.aborted) await renewTickets();
  };

  const attempt = (job: JobRecord): Promise<void> => {
    const { id, request_id, traceparent } = job;
    const from = { job_id: id, request_id, traceparent: saneTraceparent(traceparent) };
    return inScope(from, () => {
      const watch = watchAttempt(parts, job);
      return inside(watch.span, () => watchedAttempt(job, watch));
    });
  };

  const watchedAttempt = async (job: JobRecord, watch: AttemptWatch): Promise<void> => {
    let end: End = 'lost';
    try {
      end = await runOrFail(job, watch);
    } finally {
      watch.end(end);
    }
  };

  const runOrFail = async (job: JobRecord, watch: AttemptWatch): Promise<End> => {
    const { id, fence, model, account } = job;
    const attemptLog = log.child({ fence });
    if (job.unreadable !== null) {
      attemptLog.error({ why: job.unreadable }, 'a job that cannot be read fails');
      const facts = { reason: job.unreadable };
      watch.failed('record_unreadable');
      return attempts.fail(id, fence, { code: 'record_unreadable', facts });
    }
    attemptLog.info({ model, account }, 'attempt starts');
    const own = { ...parts, attempts, chunks, watch, log: attemptLog };
    const end = await runAttempt(own, timing, job, leaving);
    attemptLog.info({ end }, 'attempt ends');
    return end;
  };

  const tracked = async (ticket: Ticket): Promise<void> => {
    const work = run(ticket);
    running.add(work);
    try {
      await work;
    } finally {
      running.delete(work);
    }
  };

  const sweep = async () => {
    const adopted = await attempts.adopt();
    if (adopted > 0) log.warn({ adopted }, 'jobs of another version were given their turns');
    await files.sweep(config.files.ttlMs, jobs.isUnfinished);
  };

  const stopLooking = repeat(timing.lookMs, deliverDue, log);
  const stopSweeping = repeat(timing.sweepMs, sweep, log);
  const stopHelping = startHelping(
    { ...parts, chunks },
    timing,
    () => running.size < config.jobs.concurrency,
    leaving,
  );
  queue.start(config.jobs.concurrency, tracked);
  parts.metrics.slots.set(config.jobs.concurrency);

  return {
    close: async (): Promise<void> => {
      soon.abort();
      running.add(stopHelping());
      const quiet = Promise.allSettled([stopLooking(), stopSweeping(), queue.pause()]);
      await atMost(config.jobs.drainMs, running);
      now.abort();
      // Without Redis nothing can be put back, and these would wait for ever; the leases of the jobs end without us.
      await atMost(PUT_BACK_MS, [quiet, ...running]);
    },
  };
};
