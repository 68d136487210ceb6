import { z } from 'zod';
import { jobExample, type OperationExample, unstarted } from './examples.ts';
import { Problem } from './failure.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { SizeText } from './media.ts';
import { PageLimit } from './page.ts';
import { Provenance } from './provenance.ts';
import { Metadata } from './webhooks.ts';

export const JobStatus = z
  .enum(['queued', 'processing', 'succeeded', 'failed', 'canceled'])
  .meta({ id: 'JobStatus' });
export type JobStatus = z.infer<typeof JobStatus>;

export const Stage = z
  .enum(['fetching', 'probing', 'decoding', 'inference', 'encoding', 'storing'])
  .meta({ id: 'JobStage' });
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

/** The picture or clip that an operation is to change. An operation may tell more of its input. */
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

/** Something that the caller should know of a result that is good all the same. */
export const Warning = z
  .strictObject({ code: z.string(), detail: z.string() })
  .meta({ id: 'Warning' });
export type Warning = z.infer<typeof Warning>;

/** As a request may name it in its `model`: `photo@r2`; null for a model without releases. */
const ReleaseRef = z.string().nullable();

/** What every operation says about a result; each adds its own fields. */
export const resultShape = {
  status: z.literal('success'),
  id: z.string(),
  output_url: z.url(),
  input_size: SizeText,
  output_size: SizeText,
  model_used: z.string(),
  model_version: z.string().describe('the versions of the networks that made it'),
  release: ReleaseRef.describe('the release that made it, as the `model` of a request may name it'),
  canary: z.boolean().describe('whether it was chosen at random, as a candidate on trial'),
  cached: z.boolean(),
  credits_used: z.int().min(0),
  processing_ms: z.int().min(0),
  bytes: z.int().positive(),
  sha256: z.string(),
  content_type: z.string(),
  expires_at: z.iso.datetime(),
  warnings: z.array(Warning),
  provenance: Provenance.nullable().describe(
    'the content credentials in the file; null: it carries none',
  ),
};
/** Any operation's result, as a client of all of them reads it. */
export const JobResult = z.looseObject(resultShape);
export type JobResult = z.infer<typeof JobResult>;

const shared = {
  id: z.string(),
  object: z.literal('job'),
  status: JobStatus,
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  finished_at: z.iso.datetime().nullable(),
  expires_at: z.iso.datetime().nullable(),
  queue_position: z
    .int()
    .nullable()
    .describe('its probable place in the queue, where 1 is next; null when it does not wait'),
  queue_eta_seconds: z
    .int()
    .min(0)
    .nullable()
    .describe(
      'about how long it still waits, by what jobs took of late; null when it does not wait, or that is not known',
    ),
  progress: JobProgress.nullable(),
  model: z.string(),
  model_version: z.string().describe('of the release that the job was submitted for'),
  release: ReleaseRef.describe('the release that the job was submitted for'),
  canary: z.boolean().describe('whether it was chosen at random, as a candidate on trial'),
  cost: z
    .strictObject({
      estimated: z.int().describe('credits that it was to cost'),
      held: z.int().describe('credits that are held for it until it ends'),
      charged: z.int().describe('credits that it did cost'),
    })
    .meta({ id: 'JobCost' }),
  error: Problem.nullable(),
  metadata: Metadata,
  urls: z
    .strictObject({
      get: z.url().describe('this job'),
      cancel: z.url().describe('POST here to cancel it'),
      events: z.url().describe('its event stream; signed, so that EventSource needs no key'),
      result: z.url().describe('its result; signed, so that <img> and <video> need no key'),
    })
    .meta({ id: 'JobUrls' }),
};

/** Any operation's job, as a client of all of them reads it. */
export const Job = z.looseObject({
  ...shared,
  kind: z.string(),
  input: z.looseObject({}),
  options: z.looseObject({}),
  result: JobResult.nullable(),
});
export type Job = z.infer<typeof Job>;

/** What the contract has to know of an operation to tell what its jobs are. */
type JobForms = {
  readonly kind: string;
  /** Name of its schemas in the OpenAPI document, such as "Upscale". */
  readonly title: string;
  readonly input: z.ZodObject;
  /** Of the options as a job shows them. */
  readonly shownOptions: z.ZodObject;
  readonly result: z.ZodObject;
  readonly example?: OperationExample;
};

/** The schemas of jobs, closed: exactly what these operations' jobs tell. */
export const jobSchemas = (operations: readonly JobForms[]) => {
  const kinds = operations.map(({ kind }) => kind);
  const jobs = operations.map(jobSchema);
  const [first, ...others] = jobs;
  if (!first) throw new Error('expected at least one operation');
  const jobRef = '#/components/schemas/Job';
  const mapping = operations.map(({ kind, title }) => [kind, `#/components/schemas/${title}Job`]);
  const anyJob = z.discriminatedUnion('kind', [first, ...others]).meta({
    id: 'Job',
    discriminator: { propertyName: 'kind', mapping: Object.fromEntries(mapping) },
  });
  const JobEvent = z
    .strictObject({
      id: z.string().describe('increases; send it as Last-Event-ID to resume'),
      event: z.enum(['job.progress', ...JobStatus.options.map((status) => `job.${status}`)]),
      data: z
        .string()
        .describe('the job as it is then, as JSON')
        .meta({ contentMediaType: 'application/json', contentSchema: { $ref: jobRef } }),
    })
    .meta({ id: 'JobEvent' });
  const JobList = z
    .strictObject({ object: z.literal('list'), data: z.array(anyJob), has_more: z.boolean() })
    .meta({ id: 'JobList' });
  const JobListQuery = z.strictObject({
    status: JobStatus.optional(),
    kind: z.enum(kinds).optional(),
    idempotency_key: z
      .string()
      .regex(idempotencyKey, 'Expected 1 to 255 printable ASCII characters')
      .optional()
      .describe(
        'only the job of the request that was sent with this Idempotency-Key within 24 hours, also when it joined an earlier job',
      ),
    limit: PageLimit,
    starting_after: z
      .string()
      .regex(/^job_\w+$/, 'Expected the id of a job')
      .optional()
      .describe('id of the last job of the page before'),
  });
  return { Job: anyJob, JobEvent, JobList, JobListQuery, example: exampleOf(operations[0]) };
};

const exampleOf = (operation: JobForms | undefined) =>
  operation?.example && jobExample(jobSchema(operation), operation.kind, operation.example);

/** The job before it begins. */
export const queuedExample = (operation: JobForms) => {
  const job = exampleOf(operation);
  return job && { ...job, ...unstarted(operation.example?.credits ?? 0) };
};

/** One operation's job, closed. */
export const jobSchema = ({ kind, title, input, shownOptions, result }: JobForms) =>
  z
    .strictObject({
      ...shared,
      kind: z.literal(kind),
      input,
      options: shownOptions,
      result: result.nullable(),
    })
    .meta({ id: `${title}Job` });
