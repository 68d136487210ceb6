/** Triton's control over HTTP: what it serves, load and unload. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { modelUnavailable } from './faults.ts';
import {
  isTimeout,
  openWire,
  type Reply,
  reasonOf,
  type TritonAddress,
  type Within,
} from './wire.ts';

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
  instance_group: z.array(z.object({ count: z.int(), kind: z.string() })).default([]),
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

/** `model` is the name under which Triton has it. Each throws Failure model_unavailable, with Triton's reason as its cause. */
export type Control = {
  /** The config of a loaded model. */
  modelConfig(model: string, within?: Partial<Within>): Promise<ModelConfig>;
  /** Every model in the repository. One that was never loaded has no state. */
  repositoryIndex(within?: Partial<Within>): Promise<IndexEntry[]>;
  /**
   * Loads the model; one that is loaded is loaded again where its files have changed.
   * A model whose Python process cannot start stays LOADING: hence the deadline. Triton may grant at once the load of a model
   * that it still unloads, and load it after that: resolves when the model is ready.
   */
  load(model: string, deadlineMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * Waits for a load of the model that is under way, not for its requests. A model that is not loaded, or that Triton does
   * not know, is no fault.
   */
  unload(model: string, withinMs?: number): Promise<void>;
  /**
   * What inference/serving/shell.py answers to a request without pixels or sound: '' to a `ping`; to `memory` the most that
   * its process has taken, as `memory: 123 bytes`. A refusal is an answer too.
   */
  tell(model: string, what: 'ping' | 'memory', timeoutMs: number): Promise<string>;
};

export const openControl = (address: TritonAddress): Control => {
  // Asked seldom: a connection kept between would only hold up Triton when it stops.
  const wire = openWire(address, { keepAlive: false });
  const path = (model: string, act: string) =>
    `/repository/models/${encodeURIComponent(model)}/${act}`;
  const modelConfig: Control['modelConfig'] = async (model, within) => {
    const path = `/models/${encodeURIComponent(model)}/config`;
    const config = (each: Partial<Within>) => wire.get(path, each);
    return read(model, ModelConfig, await granted(model, askedTwice(config, within)));
  };
  /** A thread of Triton answers nothing while it loads a model: the next look then asks another. */
  const isReady = async (model: string, signal?: AbortSignal): Promise<boolean> => {
    const path = `/models/${encodeURIComponent(model)}/ready`;
    try {
      return (await wire.get(path, { timeoutMs: LOOK_WITHIN_MS, signal })).status === 200;
    } catch (error) {
      if (isTimeout(error)) return false;
      throw modelUnavailable(model, error);
    }
  };
  return {
    modelConfig,
    repositoryIndex: async (within) => {
      const index = (each: Partial<Within>) => wire.post('/repository/index', {}, each);
      return read('Triton', Index, await granted('Triton', askedTwice(index, within)));
    },
    load: async (model, timeoutMs, signal) => {
      const deadline = performance.now() + timeoutMs;
      await granted(model, wire.post(path(model, 'load'), {}, { timeoutMs, signal }));
      while (!(await isReady(model, signal))) {
        if (performance.now() > deadline) throw modelUnavailable(model, notReady(timeoutMs));
        await sleep(LOOK_MS);
      }
    },
    unload: async (model, withinMs) => {
      const within = withinMs === undefined ? {} : { timeoutMs: withinMs };
      await granted(model, wire.post(path(model, 'unload'), {}, within));
    },
    tell: async (model, what, timeoutMs) => {
      const body = { ...nothingFor(await modelConfig(model)), parameters: { [what]: true } };
      const path = `/models/${encodeURIComponent(model)}/infer`;
      try {
        const reply = await wire.post(path, body, { timeoutMs });
        return reply.status === 200 ? '' : reasonOf(reply);
      } catch (cause) {
        throw modelUnavailable(model, cause);
      }
    },
  };
};

const LOOK_MS = 100;
const LOOK_WITHIN_MS = 2_000;

/**
 * The answer to what Triton answers at once, also while its models compute. A thread of Triton that loads a model answers
 * nothing else: after silence a second connection gets another thread. within: for each of the two.
 */
const askedTwice = async (
  ask: (within: Partial<Within>) => Promise<Reply>,
  within: Partial<Within> = {},
): Promise<Reply> => {
  try {
    return await ask({ timeoutMs: LOOK_WITHIN_MS, ...within });
  } catch (error) {
    if (!isTimeout(error)) throw error;
    return ask(within);
  }
};

const notReady = (withinMs: number): Error =>
  new Error(`Triton granted the load, but the model was not ready within ${withinMs / 1000} s`);

/** A request of this model with every free length 0. */
const nothingFor = ({ input, output }: ModelConfig) => ({
  inputs: input
    .filter(({ optional }) => !optional)
    .map(({ name, data_type, dims }) => {
      const shape = dims.map((length) => Math.max(0, length));
      const count = shape.reduce((a, b) => a * b, 1);
      const datatype = data_type.replace('TYPE_', '');
      return { name, datatype, shape, data: new Array<number>(count).fill(0) };
    }),
  outputs: output.slice(0, 1).map(({ name }) => ({ name })),
});

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
