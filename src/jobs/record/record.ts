/** What a job is: its record and its states. Pure. */
import { z } from 'zod';
import { PriceLine } from '../../contract/credits.ts';
import { JobInput, JobProgress, JobStatus, LipsyncInput } from '../../contract/job.ts';
import { type FailureCode, failures } from '../../errors.ts';
import { LipsyncModel, LipsyncOptions, Sync, Warning } from '../../operations/lip-sync/request.ts';
import { UpscaleModel, UpscaleOptions } from '../../operations/upscale/request.ts';

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
const UpscaleOutcome = z.object({
  /** Name below the results of `storage/files.ts`; the file of a cached job is that of the first one. */
  file: z.string(),
  bytes: z.number(),
  sha256: z.string(),
  content_type: z.string(),
  output_size: z.string(),
  duration_seconds: z.number().optional(),
  frames: z.number().optional(),
  fps: z.number().optional(),
});
const LipsyncOutcome = UpscaleOutcome.required().extend({
  faces_detected: z.number(),
  frames_passed_through: z.number(),
  sync: Sync,
  warnings: z.array(Warning),
});
export type JobOutcome = z.infer<typeof UpscaleOutcome> | z.infer<typeof LipsyncOutcome>;

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

const shared = {
  id: z.string(),
  account: z.string(),
  status: JobStatus,
  created_at: count,
  started_at: time,
  finished_at: time,
  /** When the result goes away. */
  expires_at: time,
  request_id: z.string(),
  model_version: z.string(),
  fingerprint: z.string(),
  /** What it would cost, held at submission and charged at the end; see `accounts/ledger.ts`. */
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
  /** When a model, or room on the disk, was found to be missing: first in this outage, and last. */
  away_since: time,
  away_at: time,
  cancel_requested: flag,
  erased: flag,
  progress: orNull(json(JobProgress)),
  error: orNull(json(JobError)),
};

const UpscaleRecord = z.object({
  ...shared,
  kind: z.literal('upscale'),
  model: UpscaleModel,
  input: json(JobInput),
  options: json(UpscaleOptions),
  outcome: orNull(json(UpscaleOutcome)),
});
export type UpscaleRecord = z.infer<typeof UpscaleRecord>;

const LipsyncRecord = z.object({
  ...shared,
  kind: z.literal('lipsync'),
  model: LipsyncModel,
  input: json(LipsyncInput),
  options: json(LipsyncOptions),
  outcome: orNull(json(LipsyncOutcome)),
});
export type LipsyncRecord = z.infer<typeof LipsyncRecord>;

/** The hash that Redis holds. Times are milliseconds. */
export const JobRecord = z.discriminatedUnion('kind', [UpscaleRecord, LipsyncRecord]);
export type JobRecord = z.infer<typeof JobRecord>;
