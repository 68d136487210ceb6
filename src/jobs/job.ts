/** What a job is: its record, its states and how it is shown. Pure. */
import { z } from 'zod';
import { PriceLine } from '../contract/credits.ts';
import { type Job, JobInput, JobKind, JobProgress, JobStatus } from '../contract/job.ts';
import { UpscaleModel, UpscaleOptions, type UpscaleResult } from '../contract/upscale.ts';
import { Failure, type FailureCode, failures } from '../errors.ts';
import { problemOf } from '../problem.ts';

/** The allowed moves. Back to `queued`: an attempt is repeated, or its worker was lost or went away. */
export const moves: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  queued: ['processing', 'failed', 'canceled'],
  processing: ['queued', 'succeeded', 'failed', 'canceled'],
  succeeded: [],
  failed: [],
  canceled: [],
};

export const isOver = (status: JobStatus): boolean => moves[status].length === 0;

/** What a successful attempt leaves. */
export const JobOutcome = z.object({
  /** Name below the results of `files/store.ts`; the file of a cached job is that of the first one. */
  file: z.string(),
  bytes: z.number(),
  sha256: z.string(),
  content_type: z.string(),
  output_size: z.string(),
  duration_seconds: z.number().optional(),
  frames: z.number().optional(),
  fps: z.number().optional(),
});
export type JobOutcome = z.infer<typeof JobOutcome>;

/** A Failure as kept in a record. */
export const JobError = z.object({
  code: z.custom<FailureCode>((code) => typeof code === 'string' && Object.hasOwn(failures, code)),
  facts: z.record(z.string(), z.unknown()),
});
export type JobError = z.infer<typeof JobError>;

const json = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema);
const count = z.coerce.number().int();
const flag = z
  .string()
  .default('')
  .transform((text) => text === '1');
const orNull = <T extends z.ZodType>(schema: T) =>
  z.preprocess((text) => (text === '' || text === undefined ? null : text), schema.nullable());
const time = orNull(count);

/** The hash that Redis holds. Times are milliseconds. */
export const JobRecord = z.object({
  id: z.string(),
  account: z.string(),
  kind: JobKind,
  status: JobStatus,
  created_at: count,
  started_at: time,
  finished_at: time,
  /** When the result goes away. */
  expires_at: time,
  request_id: z.string(),
  model: UpscaleModel,
  model_version: z.string(),
  input: json(JobInput),
  options: json(UpscaleOptions),
  fingerprint: z.string(),
  /** What it would cost, held at submission and charged at the end; see `credits/ledger.ts`. */
  estimated: count,
  held: count,
  charged: count,
  lines: json(z.array(PriceLine)),
  /** Made from an earlier job's result, at no cost. */
  cached: flag,
  /** Which attempt may write; each start takes a new one. */
  fence: count,
  /** How often the job was put into the queue. */
  dispatch: count,
  /** Starts that count towards the bound. */
  attempts: count,
  /** How often a worker vanished with it. */
  lost: count,
  cancel_requested: flag,
  erased: flag,
  progress: orNull(json(JobProgress)),
  outcome: orNull(json(JobOutcome)),
  error: orNull(json(JobError)),
});
export type JobRecord = z.infer<typeof JobRecord>;

/** Where a job's links lead. */
export type Shown = {
  readonly publicUrl: string;
  /** 1 is next; null when the job does not wait. */
  readonly queuePosition: number | null;
  readonly resultUrl: (id: string, expiresAtMs: number) => string;
};

export const presentJob = (job: JobRecord, shown: Shown): Job => ({
  id: job.id,
  object: 'job',
  kind: job.kind,
  status: job.status,
  created_at: iso(job.created_at),
  started_at: isoOrNull(job.started_at),
  finished_at: isoOrNull(job.finished_at),
  expires_at: isoOrNull(job.expires_at),
  queue_position: shown.queuePosition,
  progress: job.progress,
  model: job.model,
  model_version: job.model_version,
  input: job.input,
  options: job.options,
  cost: { estimated: job.estimated, held: isOver(job.status) ? 0 : job.held, charged: job.charged },
  result: presentResult(job, shown),
  error: job.error && problemOf(failureOf(job.error), whereOf(job)),
  urls: {
    self: selfUrl(job, shown),
    cancel: `${selfUrl(job, shown)}/cancel`,
    result: `${selfUrl(job, shown)}/result`,
  },
});

/** The answer of POST; null until the job succeeded and after its media was erased. */
export const presentResult = (
  job: JobRecord,
  shown: Pick<Shown, 'resultUrl'>,
): UpscaleResult | null => {
  if (job.outcome === null || job.expires_at === null || job.erased) return null;
  const { file: _, content_type, output_size, ...measured } = job.outcome;
  return {
    status: 'success',
    output_url: shown.resultUrl(job.id, job.expires_at),
    input_size: job.input.size,
    output_size,
    scale: job.options.scale,
    credits_used: job.charged,
    id: job.id,
    model_used: job.model,
    model_version: job.model_version,
    cached: job.cached,
    processing_ms: (job.finished_at ?? 0) - (job.started_at ?? job.finished_at ?? 0),
    content_type,
    expires_at: iso(job.expires_at),
    ...measured,
  };
};

/** What a failed job's caller gets to hear. */
export const failureOf = (error: JobError): Failure => new Failure(error.code, error.facts);

const selfUrl = (job: JobRecord, { publicUrl }: Shown): string => `${publicUrl}/v1/jobs/${job.id}`;
const whereOf = (job: JobRecord) => ({
  instance: `/v1/jobs/${job.id}`,
  requestId: job.request_id,
});
const iso = (timeMs: number): string => new Date(timeMs).toISOString();
const isoOrNull = (timeMs: number | null): string | null => (timeMs === null ? null : iso(timeMs));
