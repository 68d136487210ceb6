/** The whole of jobs and money on a real Redis and disk, with a scripted model in place of the pipeline. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLedger } from '../../src/accounts/ledger.ts';
import type { JobInput, JobProgress } from '../../src/contract/job.ts';
import { Failure } from '../../src/errors.ts';
import { openQueue } from '../../src/jobs/queue.ts';
import { audit } from '../../src/jobs/record/audit.ts';
import { openJobs } from '../../src/jobs/record/jobs.ts';
import {
  isOver,
  type JobOutcome,
  type JobRecord,
  recordReader,
} from '../../src/jobs/record/record.ts';
import { openSignals } from '../../src/jobs/record/signals.ts';
import { waitForEnd } from '../../src/jobs/record/wait.ts';
import { startWorker, type WorkerTiming } from '../../src/jobs/run/worker.ts';
import { openCachedResults } from '../../src/jobs/submit/cached-results.ts';
import { identityOf } from '../../src/jobs/submit/fingerprint.ts';
import type { Claim } from '../../src/jobs/submit/idempotency.ts';
import type { Callback, SubmitParts } from '../../src/jobs/submit/submission.ts';
import { submit } from '../../src/jobs/submit/submit.ts';
import { createLog } from '../../src/log.ts';
import type { ImageInfo } from '../../src/media/info.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import type { Choice } from '../../src/models/choose.ts';
import { operations } from '../../src/operations/all.ts';
import type { Enhance } from '../../src/operations/enhance.ts';
import type { InputKind } from '../../src/operations/operation.ts';
import type { UpscaleOptions } from '../../src/operations/upscale/request.ts';
import { upscale } from '../../src/operations/upscale/upscale.ts';
import { openRedis } from '../../src/redis/connection.ts';
import { openFiles } from '../../src/storage/files.ts';
import { noTracing } from '../../src/tracing/tracing.ts';
import { untilAborted } from '../real/aborted.ts';
import { testConfig } from '../real/config.ts';
import { freshPrefix } from '../real/redis.ts';
import { tempDir } from '../real/run.ts';

export const quick: WorkerTiming = {
  beatMs: 20,
  silenceMs: 100,
  retryMs: 20,
  unavailableMs: 50,
  leaseMs: 1500,
  lookMs: 30,
  sweepMs: 60_000,
  restMs: 20,
};

export type Place = { readonly url: string; readonly prefix: string; readonly dir: string };
const parent = tempDir('jobs');
export const freshPlace = (url: string): Place => {
  const prefix = freshPrefix();
  return { url, prefix, dir: join(parent, prefix) };
};

/** One process' worth of parts; several may share a place. */
export const openRig = async ({ url, prefix, dir }: Place, variables: NodeJS.ProcessEnv = {}) => {
  const config = testConfig({ REDIS_URL: url, REDIS_PREFIX: prefix, DATA_DIR: dir, ...variables });
  const log = createLog(process.env.TEST_LOG ?? 'silent', 'test');
  const redis = openRedis(url, log, 'work');
  const stores = { redis, prefix };
  const files = await openFiles(dir, config.files);
  const ledger = openLedger(stores, config.prices);
  const jobs = openJobs(stores, files, recordReader(operations));
  const signals = await openSignals(stores);
  const queue = openQueue(config.redis, log, { lockMs: 1500, stalledMs: 300 });
  const cached = openCachedResults(stores, files, jobs);
  const parts: Mutable<SubmitParts> = { stores, config, log, files, ledger, jobs, cached, queue };
  const watch = { metrics: createMetrics(), tracing: noTracing };
  const closers: (() => Promise<void>)[] = [];

  const media = (content: string) => {
    const path = files.temporary();
    writeFileSync(path, content);
    const inputKind: InputKind = 'image';
    const input: JobInput = {
      kind: inputKind,
      size: '10x10',
      bytes: content.length,
      sha256: `sha of ${content}`,
      content_type: 'image/png',
    };
    return {
      input,
      inputKind,
      files: { media: path },
      found: imageInfo,
      inputBytes: content.length,
      quick: false,
      identity: `work on ${content}`,
    };
  };

  const chosen = choiceOf('photo-s19');

  /** A request for `credits` credits on media that holds `content`. */
  const ask = (
    content: string,
    {
      account = 'acme',
      credits = 10,
      quick = false,
      idempotency,
      callback,
      options = {},
      to = parts,
    }: Asked = {},
  ) =>
    submit(to, {
      account,
      requestId: 'req_1',
      chosen,
      rechoose: async () => chosen,
      ...media(content),
      kind: 'upscale',
      options: { model: 'photo', scale: 2, ...options },
      identity: identityOf({
        account,
        kind: 'upscale',
        sha256: content,
        inputKind: 'image',
        own: upscale.identity({
          options: { model: 'photo', scale: 2, ...options },
          inputKind: 'image',
          files: noFiles,
        }),
      }),
      quick,
      price: { credits, text: `photo: ${credits} MP × 1` },
      idempotency,
      callback,
    });

  return {
    config,
    log,
    redis,
    stores,
    files,
    ledger,
    jobs,
    signals,
    queue,
    parts,
    media,
    ask,
    /** Starts a worker; when it is closed, its jobs may go on for `drainMs`. */
    work: async (
      run: Run,
      { drainMs = 100, ...timing }: WorkTiming = {},
      help?: Enhance['help'],
    ) => {
      const { jobs } = parts.config;
      const worker = await startWorker(
        {
          ...parts,
          ...watch,
          signals,
          enhance: enhanceBy(run, help),
          config: { ...parts.config, jobs: { ...jobs, drainMs } },
        },
        { ...quick, ...timing },
      );
      closers.unshift(worker.close);
      return worker;
    },
    ended: async (job: JobRecord, withinMs = 60_000): Promise<JobRecord> => {
      const last = await waitForEnd({ jobs, signals }, job, { timeoutMs: withinMs });
      if (isOver(last.status)) return last;
      throw new Error(`${job.id} is still ${last.status} after ${withinMs} ms`);
    },
    differences: async (account = 'acme') => (await audit(stores, account)).differences,
    credits: async (account = 'acme') => {
      const { balance, held } = await ledger.balance(account);
      return { balance, held };
    },
    close: async () => {
      for (const close of closers) await close();
      await queue.close();
      await signals.close();
      await redis.quit();
    },
  };
};

type WorkTiming = Partial<WorkerTiming> & { readonly drainMs?: number };
type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Asked = {
  readonly account?: string;
  readonly credits?: number;
  readonly quick?: boolean;
  readonly idempotency?: Claim;
  readonly callback?: Callback;
  readonly options?: Partial<UpscaleOptions>;
  readonly to?: SubmitParts;
};
export type Rig = Awaited<ReturnType<typeof openRig>>;

const imageInfo: ImageInfo = {
  kind: 'image',
  size: { width: 10, height: 10 },
  alpha: false,
  gray: false,
  format: 'png',
  profile: null,
  metadata: false,
};

const noFile = { field: 'image', file: async () => '', bytes: 0, sha256: '', mime: '' };
const noFiles = { media: noFile };

export type Run = Enhance['run'];

/** A pipeline whose work is `run`. */
export const enhanceBy = (run: Run, help: Enhance['help'] = neverAsked): Enhance => ({
  run,
  help,
  mirror: neverAsked,
  format: ({ kind, options, input }) =>
    operations.find((one) => one.kind === kind)?.format(options, input.kind) ?? '',
});

const neverAsked = async (): Promise<never> => {
  throw new Error('nothing was shared out or mirrored');
};

/** A model that copies nothing and is done at once. */
export const atOnce: Run = async ({ model_version }, { target }) => {
  writeFileSync(target, 'enhanced');
  return { ...pictureOf(20), modelVersion: model_version };
};

/** What an attempt hands in whose work is done. */
export const finished: { readonly outcome: JobOutcome; readonly progress: JobProgress } = {
  outcome: {
    file: 'x.1.png',
    bytes: 1,
    sha256: 'ab',
    content_type: 'image/png',
    output_size: '20x20',
    warnings: [],
  },
  progress: {
    stage: 'storing',
    percent: 100,
    frames_done: 1,
    frames_total: 1,
    eta_seconds: 0,
  },
};

/** What a scripted pipeline tells of a square PNG that it made. */
export const pictureOf = (side: number) => ({
  outputSize: { width: side, height: side },
  contentType: 'image/png',
  details: {},
  modelVersion: 'photo-s19',
});

/** A model that works until it is told to go on, or stopped. */
export const onCue = () => {
  let go = () => {};
  const cue = new Promise<void>((resolve) => {
    go = resolve;
  });
  const started: string[] = [];
  const enhance: Run = async (work, places, report, signal) => {
    started.push(places.input('media').split('/').at(-1) ?? '');
    report({ stage: 'inference', framesDone: 1, framesTotal: 4 });
    await Promise.race([cue, untilAborted(signal)]);
    return atOnce(work, places, report, signal);
  };
  return { enhance, started, go };
};

export const codeOf = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
    return 'none';
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
};

/** The release that a job of a test runs on. */
export const choiceOf = (modelVersion: string): Choice => ({
  modelVersion,
  release: 'photo@r1',
  canary: false,
  pinned: false,
  mirror: '',
});
