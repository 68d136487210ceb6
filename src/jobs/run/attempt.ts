import type { Config } from '../../config.ts';
import { asFailure, Failure, type FailureCode } from '../../errors.ts';
import { sizeText } from '../../frame.ts';
import type { Log } from '../../log.ts';
import type { Enhance, Enhanced } from '../../operations/enhance.ts';
import type { Progress } from '../../operations/progress.ts';
import { diskFailure } from '../../storage/disk-failure.ts';
import type { Files } from '../../storage/files.ts';
import type { ChunkList } from '../chunks/chunk-list.ts';
import { shareOut } from '../chunks/share-out.ts';
import type { JobOutcome, JobRecord, ReadableJob } from '../record/record.ts';
import type { Signals } from '../record/signals.ts';
import { fingerprint } from '../submit/fingerprint.ts';
import type { Attempts } from './attempts.ts';
import { type HeartTiming, startHeart } from './heart.ts';
import { keepForMirror, mirrorJob } from './mirror.ts';
import { outage } from './outage.ts';
import type { AttemptWatch } from './watch.ts';

export type AttemptParts = {
  readonly attempts: Attempts;
  readonly chunks: ChunkList;
  readonly signals: Signals;
  readonly files: Files;
  readonly enhance: Enhance;
  readonly config: Config;
  readonly log: Log;
  readonly watch: AttemptWatch;
};

export type AttemptTiming = HeartTiming & {
  /** Before the second attempt; doubled for each further one. */
  readonly retryMs: number;
  /** Before looking again whether the model is back, at first; then half as long as it has been away, up to ten times this. */
  readonly unavailableMs: number;
};

/** How an attempt left its job. */
export type End = 'succeeded' | 'failed' | 'canceled' | 'queued' | 'lost';
type Why = 'canceled' | 'lost' | 'deadline' | 'draining';

/** Runs one attempt of a job that was taken, and moves the job to the state that the result or the failure calls for. */
export const runAttempt = async (
  parts: AttemptParts,
  timing: AttemptTiming,
  job: ReadableJob,
  /** The worker takes no more jobs: `soon` when it was told to end, `now` when the grace time is over. */
  leaving: { readonly soon: AbortSignal; readonly now: AbortSignal },
): Promise<End> => {
  const { attempts, chunks, files, enhance, log, watch } = parts;
  const halt = createHalt();
  const heart = startHeart(parts, timing, job, halt.stop);
  const release = watchStops(parts, job, leaving.now, halt.stop);
  const report = (progress: Progress) => {
    watch.stage(progress.stage);
    return heart.report(progress);
  };
  const name = `${job.id}.${job.fence}.${enhance.format(job)}`;
  const target = files.attemptPath(name);
  const local = files.localCopies(job.id);
  try {
    await files.space.demand();
    const input = await local.fetchInputs(halt.signal);
    const work = local.checkpoints;
    const share = shareOut({ chunks, log, lookMs: timing.beatMs, signal: halt.signal }, job);
    const enhanced = await asStored(files, () =>
      enhance.run(job, { input, target, work, share }, report, halt.signal),
    );
    watch.made(enhanced);
    const last = report({ ...heart.last(), stage: 'storing' });
    const kept = await keepForMirror(job, target);
    const stored = await asStored(files, () => files.keepResult(name));
    const outcome = outcomeOf(enhanced, name, stored);
    const end = await attempts.succeed(job.id, job.fence, {
      outcome,
      progress: { ...last, percent: 100, eta_seconds: 0 },
      fingerprint: fingerprint(job.identity, enhanced.modelVersion, enhanced.signedBy),
    });
    if (end !== 'succeeded') await files.removeResult(name);
    if (kept !== null && end === 'succeeded')
      await mirrorJob(parts, job, { input, result: kept }, leaving.now);
    return end;
  } catch (error) {
    watch.failed(halt.why() ?? asFailure(error).code);
    tell(log, halt.why(), error);
    const ending = { why: halt.why(), leaving: leaving.soon.aborted, error };
    return await conclude(parts, timing, job, ending);
  } finally {
    release();
    heart.stop();
    await files.remove(target);
    await local.remove();
  }
};

/**
 * What fails because the disk does is storage_failed, whatever the part that noticed it calls it: a program that
 * cannot write its output says so in its own words, or in none. Only the disk itself knows then.
 */
const asStored = async <T>({ space }: Files, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const disk = diskFailure(error);
    if (disk && (isPassing(disk) || disk.code === 'storage_failed')) throw disk;
    if (disk || (await space.isFull())) {
      throw new Failure('storage_failed', { reason: 'the disk is full' }, { cause: error });
    }
    throw error;
  }
};

/** Whether the store of files is away or has no room, which an attempt cannot help and which may end. */
const isPassing = ({ code, facts }: Failure): boolean =>
  code === 'storage_unavailable' || (code === 'storage_full' && facts.store === true);

/** What is not the job's fault, and may end: the job waits for that, up to MODEL_WAIT_SECONDS. */
const isWaitedFor = (code: FailureCode): boolean =>
  ['model_unavailable', 'storage_full', 'storage_unavailable'].includes(code);

/** A stop is not a fault. Of a model that is away only the reason is logged, without a stack, because the job retries often. */
const tell = (log: Log, stopped: Why | undefined, error: unknown): void => {
  const { code, cause, message } = asFailure(error);
  if (stopped) {
    log.info({ stopped }, 'attempt was stopped');
  } else if (isWaitedFor(code)) {
    const why = cause instanceof Error ? cause.message : message;
    log.warn({ why }, 'a model, the storage or room in it is not available');
  } else {
    log.warn({ err: error }, 'attempt did not succeed');
  }
};

const outcomeOf = (
  { outputSize, contentType, details, warnings, modelVersion, release, provenance }: Enhanced,
  file: string,
  { bytes, sha256 }: { readonly bytes: number; readonly sha256: string },
): JobOutcome => ({
  file,
  bytes,
  sha256,
  content_type: contentType,
  output_size: sizeText(outputSize),
  ...details,
  model_version: modelVersion,
  ...(release !== undefined && { release }),
  warnings: [...(warnings ?? [])],
  provenance: provenance ?? null,
});

/** An AbortController that remembers the first reason. */
const createHalt = () => {
  const controller = new AbortController();
  let first: Why | undefined;
  return {
    signal: controller.signal,
    why: () => first,
    stop: (why: Why) => {
      first ??= why;
      controller.abort(new Error(`The attempt was stopped: ${first}`));
    },
  };
};

const MOST_TIMER_MS = 2 ** 31 - 1;

const watchStops = (
  { signals, config }: AttemptParts,
  job: JobRecord,
  draining: AbortSignal,
  stop: (why: Why) => void,
) => {
  const unlisten = signals.listen(job.id, (event) => {
    if (event === 'cancel') stop('canceled');
  });
  const late = () => stop('deadline');
  const timer = setTimeout(late, Math.min(MOST_TIMER_MS, deadlineOf(job, config) - Date.now()));
  const drain = () => stop('draining');
  draining.addEventListener('abort', drain);
  if (draining.aborted) drain();
  return () => {
    unlisten();
    clearTimeout(timer);
    draining.removeEventListener('abort', drain);
  };
};

const deadlineOf = (job: JobRecord, { jobs }: Config): number =>
  (job.started_at ?? Date.now()) + jobs.deadlineMs;

type Ending = {
  /** Undefined when the attempt failed by itself. */
  readonly why: Why | undefined;
  /** Whether the worker was told to end. */
  readonly leaving: boolean;
  readonly error: unknown;
};

const conclude = (
  { attempts, config }: AttemptParts,
  timing: AttemptTiming,
  job: JobRecord,
  { why, leaving, error }: Ending,
): Promise<End> | End => {
  const { id, fence } = job;
  const fail = ({ code, facts }: Failure) => attempts.fail(id, fence, { code, facts });
  switch (why) {
    case 'lost':
      return 'lost';
    case 'canceled':
      return attempts.fail(id, fence, null);
    case 'draining':
      return attempts.retry(id, fence, { delayMs: 0, counts: false });
    case 'deadline':
      return fail(
        new Failure('deadline_exceeded', { limit_seconds: config.jobs.deadlineMs / 1000 }),
      );
  }
  const failure = asFailure(error);
  // What ends a worker (Ctrl-C, a service manager) often ends its ffmpeg too: that is not the job's fault.
  if (failure.retryable && leaving) return attempts.retry(id, fence, { delayMs: 0, counts: false });
  if (isWaitedFor(failure.code)) {
    const longestMs = config.jobs.modelWaitMs;
    const bounds = { unavailableMs: timing.unavailableMs, longestMs };
    const now = Date.now();
    const { since, delayMs } = outage(job, now, bounds);
    const next = now + delayMs;
    if (next > since + longestMs || next > deadlineOf(job, config)) return fail(failure);
    return attempts.retry(id, fence, { delayMs, counts: false, awaySince: since });
  }
  if (failure.retryable && job.attempts < config.jobs.attempts) {
    const delayMs = timing.retryMs * 2 ** (job.attempts - 1);
    return attempts.retry(id, fence, { delayMs, counts: true });
  }
  return fail(failure);
};
