import { z } from 'zod';
import { LipsyncJobOptions, LipsyncResult } from '../operations/lip-sync/request.ts';
import { UpscaleOptions, UpscaleResult } from '../operations/upscale/request.ts';
import { Problem } from './failure.ts';

export const JobStatus = z.enum(['queued', 'processing', 'succeeded', 'failed', 'canceled']);
export type JobStatus = z.infer<typeof JobStatus>;

export const JobKind = z.enum(['upscale', 'lipsync']);
export type JobKind = z.infer<typeof JobKind>;

export const Stage = z.enum([
  'fetching',
  'probing',
  'decoding',
  'inference',
  'encoding',
  'storing',
]);
export type Stage = z.infer<typeof Stage>;

export const JobProgress = z
  .strictObject({
    stage: Stage,
    percent: z.number().min(0).max(100),
    frames_done: z.int().min(0),
    frames_total: z.int().min(0).nullable(),
    eta_seconds: z.number().min(0).nullable(),
  })
  .meta({ id: 'JobProgress' });
export type JobProgress = z.infer<typeof JobProgress>;

export const JobInput = z
  .strictObject({
    kind: z.enum(['image', 'video']),
    size: z.string().describe('WxH as shown, after EXIF orientation or video rotation'),
    bytes: z.int(),
    sha256: z.string(),
    content_type: z.string(),
    duration_seconds: z.number().optional(),
    frames: z.int().optional(),
    fps: z.number().optional(),
  })
  .meta({ id: 'JobInput' });
export type JobInput = z.infer<typeof JobInput>;

/** The clip or portrait, and what it is to say. */
export const LipsyncInput = z
  .strictObject({
    ...JobInput.shape,
    own_sound: z.boolean().optional().describe('whether the clip has a sound of its own'),
    audio: z.strictObject({
      bytes: z.int(),
      sha256: z.string(),
      content_type: z.string(),
      duration_seconds: z.number(),
      sample_rate: z.int(),
      channels: z.int(),
    }),
  })
  .meta({ id: 'LipsyncInput' });
export type LipsyncInput = z.infer<typeof LipsyncInput>;

const shared = {
  id: z.string(),
  object: z.literal('job'),
  status: JobStatus,
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  finished_at: z.iso.datetime().nullable(),
  expires_at: z.iso.datetime().nullable(),
  queue_position: z.int().nullable(),
  progress: JobProgress.nullable(),
  model: z.string(),
  model_version: z.string(),
  cost: z.strictObject({ estimated: z.int(), held: z.int(), charged: z.int() }),
  error: Problem.nullable(),
  urls: z.strictObject({ self: z.string(), cancel: z.string(), result: z.string() }),
};

export const UpscaleJob = z
  .strictObject({
    ...shared,
    kind: z.literal('upscale'),
    input: JobInput,
    options: UpscaleOptions,
    result: UpscaleResult.nullable(),
  })
  .meta({ id: 'UpscaleJob' });
export type UpscaleJob = z.infer<typeof UpscaleJob>;

export const LipsyncJob = z
  .strictObject({
    ...shared,
    kind: z.literal('lipsync'),
    input: LipsyncInput,
    options: LipsyncJobOptions,
    result: LipsyncResult.nullable(),
  })
  .meta({ id: 'LipsyncJob' });
export type LipsyncJob = z.infer<typeof LipsyncJob>;

export const Job = z.discriminatedUnion('kind', [UpscaleJob, LipsyncJob]).meta({ id: 'Job' });
export type Job = z.infer<typeof Job>;

export const JobList = z
  .strictObject({ object: z.literal('list'), data: z.array(Job), has_more: z.boolean() })
  .meta({ id: 'JobList' });

export const JobListQuery = z.strictObject({
  status: JobStatus.optional(),
  kind: JobKind.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  starting_after: z
    .string()
    .regex(/^job_\w+$/)
    .optional()
    .describe('id of the last job of the page before'),
});
export type JobListQuery = z.infer<typeof JobListQuery>;
