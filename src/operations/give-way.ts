/** Long jobs do not queue up at slow models, where the request of a picture comes after all of theirs. See decisions 290 and 303. */
import type { LoadedModel } from '../triton/clients/model.ts';
import type { Transport } from '../triton/protocol/transport.ts';

/**
 * A model is slow when its last answer took so long: what is saved by sending the next request sooner is 1 % of that at most. One
 * that has not answered yet counts as slow.
 */
const SLOW_MS = 500;

type Model = {
  most: number;
  running: number;
  lastMs: number;
  /** As performance.now(): until then no long job sends it a request while a quick one runs. */
  heldUntil: number;
  readonly waiting: Set<() => void>;
};

/**
 * `long` is the transport for requests of long jobs to these models. Those that go to a slow model on processors wait here until
 * one of its instances has none, and while a quick job runs for as long again as the model's last answer took; on GPUs the way
 * to and fro takes as long as the work, and nothing waits. `quick` does the work of a quick job.
 */
export const openGiveWay = (transport: Transport, slowMs = SLOW_MS) => {
  const models = new Map<string, Model>();
  let quickJobs = 0;
  const isFree = ({ most, running, lastMs, heldUntil }: Model) =>
    lastMs < slowMs || (running < most && (quickJobs === 0 || performance.now() >= heldUntil));
  const modelOf = (name: string): Model => {
    const fresh = {
      most: 1,
      running: 0,
      lastMs: slowMs,
      heldUntil: 0,
      waiting: new Set<() => void>(),
    };
    const model = models.get(name) ?? fresh;
    models.set(name, model);
    return model;
  };
  const startFree = (model: Model): void => {
    for (const start of model.waiting) if (isFree(model)) start();
  };
  const quick = async <T>(work: () => Promise<T>): Promise<T> => {
    quickJobs += 1;
    try {
      return await work();
    } finally {
      quickJobs -= 1;
      for (const model of models.values()) startFree(model);
    }
  };
  const long = (loaded: readonly LoadedModel[]): Transport => ({
    ...transport,
    infer: async (name, inputs, wanted, signal) => {
      const { onGpu = true, instances = 1 } = loaded.find((one) => one.name === name) ?? {};
      if (onGpu) return transport.infer(name, inputs, wanted, signal);
      const model = modelOf(name);
      // Where no server is known, the request itself says so.
      model.most = Math.max(1, instances * (transport.servers?.() ?? 1));
      if (isFree(model)) model.running += 1;
      else await turn(model, signal);
      const from = performance.now();
      try {
        const outputs = await transport.infer(name, inputs, wanted, signal);
        model.lastMs = performance.now() - from;
        model.heldUntil = performance.now() + model.lastMs;
        // A millisecond more: timers may be that early.
        if (model.lastMs >= slowMs) setTimeout(() => startFree(model), model.lastMs + 1).unref();
        return outputs;
      } finally {
        model.running -= 1;
        startFree(model);
      }
    },
  });
  return { long, quick };
};

/** Resolves when the request may be sent, which is counted then; throws the signal's reason where it aborts before. */
const turn = (model: Model, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const leave = () => {
      model.waiting.delete(start);
      signal.removeEventListener('abort', giveUp);
    };
    const start = () => {
      model.running += 1;
      leave();
      resolve();
    };
    const giveUp = () => {
      leave();
      reject(signal.reason);
    };
    model.waiting.add(start);
    signal.addEventListener('abort', giveUp);
    if (signal.aborted) giveUp();
  });
