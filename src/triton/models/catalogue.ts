/** What the models are at this moment, as `GET /v1/models`, readiness and a new job's price need it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../errors.ts';
import type { Control } from '../protocol/control.ts';
import type { Transport } from '../protocol/transport.ts';
import { askEngine, readUpscaler } from './upscaler.ts';

export type ModelState<Id extends string> = {
  readonly id: Id;
  readonly ready: boolean;
  readonly release: string | null;
  /** Null until the model has told it. */
  readonly engine: string | null;
};

/** A busy model answers when its turn comes; those who only want to know what is there do not wait for that. */
const engineWithinMs = 2_000;

/** Asks Triton every time, but each release for its engine only once. */
export const openCatalogue = <Id extends string>(
  ids: readonly Id[],
  transport: Transport,
  control: Control,
  signal: AbortSignal,
) => {
  const engines = new Map<string, string>();
  const asking = new Map<string, Promise<void>>();

  const learn = async (id: Id, release: string): Promise<void> => {
    try {
      engines.set(release, await askEngine(id, transport, signal));
    } catch (error) {
      // It stays unknown and is asked again next time.
      if (!signal.aborted && !(error instanceof Failure)) throw error;
    } finally {
      asking.delete(release);
    }
  };

  const engineOf = async (id: Id, release: string): Promise<string | null> => {
    if (!engines.has(release)) {
      const asked = asking.get(release) ?? learn(id, release);
      asking.set(release, asked);
      await Promise.race([asked, sleep(engineWithinMs)]);
    }
    return engines.get(release) ?? null;
  };

  const stateOf = async (id: Id): Promise<ModelState<Id>> => {
    try {
      const { release } = await readUpscaler(id, control);
      return { id, ready: true, release, engine: await engineOf(id, release) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { id, ready: false, release: null, engine: null };
    }
  };

  return { describe: () => Promise.all(ids.map(stateOf)) };
};
