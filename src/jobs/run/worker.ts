import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../../async/repeat.ts';
import type { Config } from '../../config.ts';
import type { Log } from '../../log.ts';
import type { Enhance } from '../../operations/enhance.ts';
import type { Redises } from '../../redis/script.ts';
import type { Files } from '../../storage/files.ts';
import { inScope, saneTraceparent } from '../../tracing/scope.ts';
import { inside } from '../../tracing/tracing.ts';
import { openChunkList } from '../chunks/chunk-list.ts';
import { startHelping } from '../chunks/help.ts';
import type { Queue, Ticket } from '../queue.ts';
import type { Jobs } from '../record/jobs.ts';
import type { JobRecord } from '../record/record.ts';
import type { Signals } from '../record/signals.ts';
import { type AttemptTiming, type End, runAttempt } from './attempt.ts';
import { openAttempts } from './attempts.ts';
import { type AttemptWatch, type WatchParts, watchAttempt } from './watch.ts';

type WorkerParts = WatchParts & {
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
  /** After this long without a beat an attempt's worker is taken for lost (decision 79). */
  readonly leaseMs: number;
  /** How often to look at what is due, and whether Bull has a ticket for it. */
  readonly lookMs: number;
  readonly sweepMs: number;
  /** How long a worker does not help after a chunk that it could not do. */
  readonly restMs: number;
};

export const workerTiming: WorkerTiming = {
  beatMs: 250,
  silenceMs: 1_000,
  retryMs: 1_000,
  unavailableMs: 3_000,
  leaseMs: 8_000,
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
  const running = new Set<Promise<unknown>>();
  const places = config.jobs.concurrency;
  /** How many of the jobs that run are not quick. */
  let long = 0;
  /** The quick job that runs beside long ones. */
  let beside: Promise<boolean> | null = null;

  const deliverDue = async () => {
    const { tickets, ended } = await attempts.due(places);
    for (const ticket of tickets) await queue.deliver(ticket);
    // Another worker may have these tickets, and no free place. Without any, an account whose long jobs are as many as it may
    // run still gets its next picture.
    if (running.size < places && (tickets.length > 0 || long > 0))
      void takeAtOnce(tickets.length > 0 ? null : 'quick');
    for (const id of ended) await files.removeJob(id);
    void takeBeside();
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

  /** Whether there was a job to take. */
  const run = async (ticket: Ticket | 'quick' | null): Promise<boolean> => {
    // Another worker, which looks at what is due, makes a new ticket.
    if (closing.aborted) return false;
    const [said, id, fence, record] = await attempts.take(ticket, randomUUID());
    if (said === 'none') return false;
    // The job whose ticket it was needs a new one. The job that was taken does not wait for that.
    const renewed = ticket && ticket !== 'quick' && ticket.id !== id ? renewTickets() : null;
    if (said === 'taken') {
      const job = jobs.read(record);
      if (job.fence === fence) await attempt(job);
    }
    if (!(await jobs.isUnfinished(id))) await files.removeJob(id);
    await renewed;
    return true;
  };

  const attempt = async (job: JobRecord): Promise<void> => {
    const counts = job.quick ? 0 : 1;
    long += counts;
    try {
      await attemptInScope(job);
    } finally {
      long -= counts;
    }
  };

  const attemptInScope = (job: JobRecord): Promise<void> => {
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
    const { id, fence, model, release, account } = job;
    const attemptLog = log.child({ fence });
    if (job.unreadable !== null) {
      attemptLog.error({ why: job.unreadable }, 'a job that cannot be read fails');
      const facts = { reason: job.unreadable };
      watch.failed('record_unreadable');
      return attempts.fail(id, fence, { code: 'record_unreadable', facts });
    }
    attemptLog.info({ model, release, account }, 'attempt starts');
    const own = { ...parts, attempts, chunks, watch, log: attemptLog };
    const end = await runAttempt(own, timing, job, leaving);
    attemptLog.info({ end }, 'attempt ends');
    return end;
  };

  const tracked = async (ticket: Ticket | 'quick' | null): Promise<void> => {
    const work = run(ticket);
    running.add(work);
    let took = false;
    try {
      took = await work;
    } finally {
      running.delete(work);
    }
    // Its end may have let the account's next job in.
    if (took && !closing.aborted) await renewTickets();
  };

  /** Bull knows nothing of the jobs that were taken without a ticket: this one waits while they have all places. */
  const whenFree = async (ticket: Ticket): Promise<void> => {
    while (running.size >= places)
      await Promise.race([...running].map((work) => Promise.allSettled([work])));
    await tracked(ticket);
  };

  const takeAtOnce = async (ticket: 'quick' | null): Promise<void> => {
    try {
      await tracked(ticket);
    } catch (error) {
      log.error({ err: error }, 'a job that waited could not be taken or ended');
    }
  };

  /** While long jobs have all places, quick ones run beside them, one at a time. A place that is free takes them by itself. */
  const takeBeside = async (): Promise<void> => {
    if (beside !== null) return;
    try {
      for (let took = true; took && long >= places; ) {
        beside = run('quick');
        took = await beside;
      }
    } catch (error) {
      log.error({ err: error }, 'a quick job could not be taken or ended');
    } finally {
      beside = null;
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
    () => running.size < places,
    leaving,
  );
  queue.start(places, whenFree);
  // A ticket takes Bull three writes to Redis. A worker that has other jobs leaves this one to Bull, as other workers may have none.
  const stopListening = parts.signals.listenToQueued(() => {
    if (running.size === 0) void takeAtOnce(null);
  });
  parts.metrics.slots.set(places);

  return {
    close: async (): Promise<void> => {
      soon.abort();
      stopListening();
      const helping = stopHelping();
      const quiet = Promise.allSettled([stopLooking(), stopSweeping(), queue.pause()]);
      const left = () => [helping, ...running, ...(beside ? [beside] : [])];
      await atMost(config.jobs.drainMs, left());
      now.abort();
      // Without Redis nothing can be put back, and these would wait for ever; the leases of the jobs end without us.
      await atMost(PUT_BACK_MS, [quiet, ...left()]);
    },
  };
};
