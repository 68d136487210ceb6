/** Triton's control over HTTP: is it there, what does it serve, load and unload. */
import { z } from 'zod';
import { modelUnavailable } from './faults.ts';
import { openWire, type Reply, reasonOf, type TritonAddress, type Wire } from './wire.ts';

const TensorConfig = z.object({
  name: z.string(),
  data_type: z.string(),
  dims: z.array(z.int()),
  optional: z.boolean().default(false),
});

/** What we read of a model's config.pbtxt, as the server has understood it. */
export const ModelConfig = z.object({
  name: z.string(),
  max_batch_size: z.int(),
  input: z.array(TensorConfig),
  output: z.array(TensorConfig),
  parameters: z
    .record(
      z.string(),
      z.object({ string_value: z.string() }).transform((p) => p.string_value),
    )
    .default({}),
});
export type ModelConfig = z.infer<typeof ModelConfig>;

const Index = z.array(
  z.object({ name: z.string(), state: z.string().optional(), reason: z.string().optional() }),
);
export type IndexEntry = z.infer<typeof Index>[number];

export type Control = {
  /** false also when nobody answers. */
  live(): Promise<boolean>;
  /** Also false once a model has failed to load, until it is unloaded. */
  ready(): Promise<boolean>;
  modelReady(model: string): Promise<boolean>;
  /** The rest throws Failure model_unavailable, with Triton's reason as its cause. */
  modelConfig(model: string): Promise<ModelConfig>;
  /** Every model in the repository, with its state unless it was never loaded. */
  repositoryIndex(): Promise<IndexEntry[]>;
  /** Loads the model, or again when it is loaded. A model whose Python cannot start stays LOADING: hence the deadline. */
  load(model: string, deadlineMs: number): Promise<void>;
  unload(model: string): Promise<void>;
};

export const openControl = (address: TritonAddress): Control => {
  // Asked seldom: a connection kept between would only hold up Triton when it stops.
  const wire = openWire(address, { keepAlive: false });
  const path = (model: string, act: string) =>
    `/repository/models/${encodeURIComponent(model)}/${act}`;
  return {
    live: () => answers(wire, '/health/live'),
    ready: () => answers(wire, '/health/ready'),
    modelReady: (model) => answers(wire, `/models/${encodeURIComponent(model)}/ready`),
    modelConfig: async (model) => {
      const path = `/models/${encodeURIComponent(model)}/config`;
      return read(model, ModelConfig, await granted(model, wire.get(path)));
    },
    repositoryIndex: async () =>
      read('any', Index, await granted('any', wire.post('/repository/index'))),
    load: async (model, deadlineMs) => {
      await granted(model, wire.post(path(model, 'load'), {}, deadlineMs));
    },
    unload: async (model) => {
      await granted(model, wire.post(path(model, 'unload')));
    },
  };
};

const answers = async (wire: Wire, path: string): Promise<boolean> => {
  try {
    return (await wire.get(path)).status === 200;
  } catch {
    return false;
  }
};

const granted = async (model: string, asked: Promise<Reply>): Promise<Reply> => {
  try {
    const reply = await asked;
    if (reply.status !== 200) throw new Error(reasonOf(reply));
    return reply;
  } catch (cause) {
    throw modelUnavailable(model, cause);
  }
};

const read = <T>(model: string, schema: z.ZodType<T>, { body }: Reply): T => {
  try {
    return schema.parse(JSON.parse(body.toString()));
  } catch (cause) {
    throw modelUnavailable(model, cause);
  }
};
