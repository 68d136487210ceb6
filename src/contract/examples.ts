/** Examples of what the service answers, for the document. They belong together: one job, its links, its credits. */
import type { z } from 'zod';

type Fields = Readonly<Record<string, unknown>>;

/** What an operation shows of itself. */
export type OperationExample = {
  /** A body that gets this result. */
  readonly request: Fields;
  readonly input: Fields;
  readonly options: Fields;
  /** The result's own fields, `model_used` among them. */
  readonly result: Fields;
  /** The own fields of a model's entry in `GET /v1/models`. */
  readonly entry: Fields;
  readonly credits: number;
  readonly priceText: string;
};

const server = 'https://media.example.com';
export const exampleJobId = 'job_4Qm8Zt1xKcW0sPb7RyLd2a';
const self = `${server}/v1/jobs/${exampleJobId}`;
const signed = 'expires=1780142405&signature=kq3vX0mZs9d1';
export const exampleTimes = {
  created: '2026-05-29T12:00:00.000Z',
  started: '2026-05-29T12:00:00.040Z',
  finished: '2026-05-29T12:00:05.000Z',
  expires: '2026-05-30T12:00:05.000Z',
};
const sha256 = '9f2c8e5d41b7a60318e4c5f7d9ab02461f3e8c7b5a9d0e2f4c6b8a1d3e5f7092';

export const resultExample = ({ result, credits }: OperationExample): Fields => ({
  status: 'success',
  id: exampleJobId,
  output_url: `${self}/result?${signed}`,
  model_version: `${result.model_used}-r1`,
  release: `${result.model_used}@r1`,
  canary: false,
  cached: false,
  credits_used: credits,
  processing_ms: 4960,
  bytes: 1_402_113,
  sha256,
  expires_at: exampleTimes.expires,
  warnings: [],
  provenance: null,
  ...result,
});

/** A model that is ready. */
export const modelExample = (
  kind: string,
  description: string,
  { entry, result }: OperationExample,
): Fields => ({
  id: result.model_used,
  operation: kind,
  description,
  ready: true,
  version: `${result.model_used}-r1`,
  releases: [
    {
      release: `${result.model_used}@r1`,
      alias: 'stable',
      percent: 100,
      ready: true,
      version: `${result.model_used}-r1`,
    },
  ],
  engine: 'onnxruntime-openvino, fp32, CPU',
  ...entry,
});

/** A job that succeeded: of the values here, those that its schema has. */
export const jobExample = (
  schema: z.ZodObject,
  kind: string,
  example: OperationExample,
): Fields => {
  const { input, options, credits } = example;
  const result = resultExample(example);
  const values: Fields = {
    id: exampleJobId,
    object: 'job',
    kind,
    status: 'succeeded',
    created_at: exampleTimes.created,
    started_at: exampleTimes.started,
    finished_at: exampleTimes.finished,
    expires_at: exampleTimes.expires,
    queue_position: null,
    queue_eta_seconds: null,
    metadata: { order: '1042' },
    progress: { stage: 'storing', percent: 100, frames_done: 1, frames_total: 1, eta_seconds: 0 },
    model: result.model_used,
    model_version: result.model_version,
    release: result.release,
    canary: false,
    cost: { estimated: credits, held: 0, charged: credits },
    input,
    options,
    result,
    error: null,
    urls: {
      get: self,
      cancel: `${self}/cancel`,
      events: `${self}/events?${signed}`,
      result: `${self}/result?${signed}`,
    },
  };
  return inShape(schema, values);
};

/** Those of the values that are fields of the schema. */
export const inShape = (schema: z.ZodObject, values: Fields): Fields =>
  Object.fromEntries(Object.keys(schema.shape).map((name) => [name, values[name]]));

/** How a job differs before it begins. */
export const unstarted = (credits: number): Fields => ({
  status: 'queued',
  started_at: null,
  finished_at: null,
  expires_at: null,
  queue_position: 1,
  queue_eta_seconds: 12,
  progress: null,
  result: null,
  cost: { estimated: credits, held: credits, charged: 0 },
});

/** The same job when it was cancelled before it began. */
export const canceledExample = (job: Fields): Fields => ({
  ...job,
  ...unstarted(0),
  status: 'canceled',
  finished_at: exampleTimes.started,
  queue_position: null,
  queue_eta_seconds: null,
});

export const estimateExample = ({
  input,
  result,
  credits,
  priceText,
}: OperationExample): Fields => ({
  credits,
  lines: [{ kind: 'base', text: priceText, credits }],
  available_credits: 958,
  model: result.model_used,
  model_version: `${result.model_used}-r1`,
  release: `${result.model_used}@r1`,
  input_size: result.input_size,
  output_size: result.output_size,
  ...(input.fps !== undefined && { input_frames: input.frames, input_fps: input.fps }),
  ...(result.duration_seconds !== undefined && { duration_seconds: result.duration_seconds }),
});
