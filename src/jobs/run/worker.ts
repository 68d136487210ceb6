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
import type { Delivery, Queue } from '../queue.ts';
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
  /** How often to look at what is due. */
  readonly lookMs: number;
  /** When to look again whether Bull still has a job that it was given. */
  readonly lookAgainMs: number;
  /** How long running jobs may go on when the worker is closed. */
  readonly graceMs: number;
  readonly sweepMs: number;
};

export const workerTiming: WorkerTiming = {
  beatMs: 250,
  silenceMs: 1_000,
  retryMs: 1_000,
  unavailableMs: 3_000,
  leaseMs: 15_000,
  lookMs: 500,
  lookAgainMs: 10_000,
  // With what ends after it, less than any supervisor waits: npm start kills after 10 s.
  graceMs: 3_000,
  sweepMs: 300_000,
};

const DUE_AT_ONCE = 100;

/**
 * Runs jobs until it is closed: takes no more then, lets those that run go on for the grace time, and puts the
 * rest back into the queue without losing an attempt.
 */
export const startWorker = async (parts: WorkerParts, timing: WorkerTiming = workerTiming) => {
  const { stores, config, log, files, jobs, queue } = parts;
  const attempts = openAttempts(stores, config, timing.leaseMs);
  const [soon, now] = [new AbortController(), new AbortController()];
  const closing = soon.signal;
  const running = new Set<Promise<void>>();

  const deliverDue = async () => {
    const { deliver, ended } = await attempts.due(DUE_AT_ONCE, timing.lookAgainMs);
    for (const delivery of deliver) await queue.deliver(delivery);
    for (const id of ended) await files.removeJob(id);
  };

  const run = async (delivery: Delivery): Promise<void> => {
    // What is not taken stays due, and goes to another worker.
    if (closing.aborted) return;
    const [said, fence] = await attempts.take(delivery, randomUUID());
    if (said === 'refused') return;
    const job = await jobs.find(delivery.id);
    if (said === 'taken' && job?.fence === fence) await attempt(job);
    if (!(await jobs.isUnfinished(delivery.id))) await files.removeJob(delivery.id);
    // Its end may have let the account's next job in.
    if (!closing.aborted) await deliverDue();
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
    const leaving = { soon: soon.signal, now: now.signal };
    const own = { ...parts, attempts, watch, log: attemptLog };
    const end = await runAttempt(own, timing, job, leaving);
    attemptLog.info({ end }, 'attempt ends');
    return end;
  };

  const tracked = async (delivery: Delivery): Promise<void> => {
    const work = run(delivery);
    running.add(work);
    try {
      await work;
    } finally {
      running.delete(work);
    }
  };

  const stopLooking = repeat(timing.lookMs, deliverDue, log);
  const stopSweeping = repeat(
    timing.sweepMs,
    () => files.sweep(config.files.ttlMs, jobs.isUnfinished),
    log,
  );
  queue.start(config.jobs.concurrency, tracked);
  parts.metrics.slots.set(config.jobs.concurrency);

  return {
    close: async (): Promise<void> => {
      soon.abort();
      await Promise.all([stopLooking(), stopSweeping(), queue.pause()]);
      await Promise.race([
        Promise.allSettled(running),
        sleep(timing.graceMs, undefined, { ref: false }),
      ]);
      now.abort();
      await Promise.allSettled(running);
    },
  };
};
