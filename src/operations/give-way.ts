/** Long jobs do not queue up at slow models, where the request of a picture comes after all of theirs. See decision 290. */
import type { LoadedModel } from '../triton/clients/model.ts';
import type { Transport } from '../triton/protocol/transport.ts';

/**
 * A model is slow when its last answer took so long: what is saved by sending the next request sooner is 1 % of that at most. One
 * that has not answered yet counts as slow.
 */
const SLOW_MS = 500;

type Model = { most: number; running: number; lastMs: number; readonly waiting: Set<() => void> };

/**
 * The transport for requests of long jobs to these models. Those that go to a slow model on processors wait here until one of
 * its instances has none; on GPUs the way to and fro takes as long as the work, and nothing waits.
 */
export const openGiveWay = (transport: Transport, slowMs = SLOW_MS) => {
  const models = new Map<string, Model>();
  const isFree = ({ most, running, lastMs }: Model) => lastMs < slowMs || running < most;
  const modelOf = (name: string): Model => {
    const model = models.get(name) ?? { most: 1, running: 0, lastMs: slowMs, waiting: new Set() };
    models.set(name, model);
    return model;
  };
  return (loaded: readonly LoadedModel[]): Transport => ({
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
        return outputs;
      } finally {
        model.running -= 1;
        for (const start of model.waiting) if (isFree(model)) start();
      }
    },
  });
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
