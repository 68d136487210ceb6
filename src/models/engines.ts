/** What computes the models. Only a model's own process knows, and each release is asked once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../errors.ts';
import type { ModelSet } from '../triton/clients/model.ts';
import type { Transport } from '../triton/protocol/transport.ts';

/** Tells library, precision and device, as `openvino bf16`. */
export type AskEngine = (
  models: ModelSet,
  transport: Transport,
  signal: AbortSignal,
) => Promise<string> | string;

type Computed = { readonly id: string; readonly engine?: AskEngine };

/** A busy model answers when its turn comes; a list of the models does not wait longer than this for it. */
const engineWithinMs = 500;

/** What computes a release; null where that is not known within `engineWithinMs`. */
export const openEngines = (transport: Transport, signal: AbortSignal) => {
  const engines = new Map<string, string>();
  const asking = new Map<string, Promise<void>>();

  const learn = async (key: string, answer: Promise<string> | string): Promise<void> => {
    try {
      engines.set(key, await answer);
    } catch (error) {
      // It stays unknown and is asked again next time.
      if (!signal.aborted && !(error instanceof Failure)) throw error;
    } finally {
      asking.delete(key);
    }
  };

  return async ({ id, engine }: Computed, models: ModelSet): Promise<string | null> => {
    if (!engine) return null;
    const key = `${id} ${models.version}`;
    if (!engines.has(key)) {
      const asked = asking.get(key) ?? learn(key, engine(models, transport, signal));
      asking.set(key, asked);
      await Promise.race([asked, sleep(engineWithinMs, undefined, { ref: false })]);
    }
    return engines.get(key) ?? null;
  };
};
