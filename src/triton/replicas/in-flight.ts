/** The requests that are at one server: how many, how they ended, and giving them up. */
import { modelUnavailable } from '../protocol/faults.ts';
import type { Transport } from '../protocol/transport.ts';

type InFlight = {
  readonly infer: Transport['infer'];
  pending(): number;
  counts(): { readonly answered: number; readonly failed: number };
  /** Ends those that are under way as model_unavailable. */
  giveUp(why: string): void;
  /** Resolves when none is under way. */
  ended(): Promise<void>;
};

export const openInFlight = (transport: Transport): InFlight => {
  const running = new Map<AbortController, Promise<unknown>>();
  let answered = 0;
  let failed = 0;
  return {
    infer: async (model, inputs, wanted, signal) => {
      signal.throwIfAborted();
      const stop = new AbortController();
      const leave = () => stop.abort(signal.reason);
      signal.addEventListener('abort', leave);
      const asked = transport.infer(model, inputs, wanted, stop.signal);
      running.set(stop, asked);
      try {
        const outputs = await asked;
        answered += 1;
        return outputs;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        failed += 1;
        throw stop.signal.aborted ? modelUnavailable(model, stop.signal.reason) : error;
      } finally {
        running.delete(stop);
        signal.removeEventListener('abort', leave);
      }
    },
    pending: () => running.size,
    counts: () => ({ answered, failed }),
    giveUp: (why) => {
      for (const stop of running.keys()) stop.abort(new Error(why));
    },
    ended: async () => {
      await Promise.allSettled(running.values());
    },
  };
};
