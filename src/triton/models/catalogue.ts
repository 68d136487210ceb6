/** What the models are at this moment, as `GET /v1/models`, readiness and a new job's price need it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../errors.ts';
import type { Log } from '../../log.ts';
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
/** So long an answer holds: every new job needs it, and models change seldom. */
const freshMs = 1_000;

/** Asks Triton at most once in `freshMs`, and each release for its engine only once. */
export const openCatalogue = <Id extends string>(
  ids: readonly Id[],
  transport: Transport,
  control: Control,
  log: Log,
  signal: AbortSignal,
) => {
  const engines = new Map<string, string>();
  const asking = new Map<string, Promise<void>>();
  const missing = new Map<Id, string>();

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
      await Promise.race([asked, sleep(engineWithinMs, undefined, { ref: false })]);
    }
    return engines.get(release) ?? null;
  };

  /** Callers only hear that a model is not ready; the reason is for the log, once. */
  const tellOnce = (model: Id, { message, cause }: Failure): void => {
    const why = cause instanceof Error ? cause.message : message;
    if (missing.get(model) !== why) log.warn({ model, why }, 'a model is not ready');
    missing.set(model, why);
  };

  const stateOf = async (id: Id): Promise<ModelState<Id>> => {
    try {
      const { release } = await readUpscaler(id, control);
      missing.delete(id);
      return { id, ready: true, release, engine: await engineOf(id, release) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      tellOnce(id, error);
      return { id, ready: false, release: null, engine: null };
    }
  };

  let latest: { readonly atMs: number; readonly states: Promise<ModelState<Id>[]> } | undefined;
  const describe = (): Promise<readonly ModelState<Id>[]> => {
    const now = performance.now();
    if (!latest || now - latest.atMs > freshMs) {
      latest = { atMs: now, states: Promise.all(ids.map(stateOf)) };
    }
    return latest.states;
  };

  return { describe };
};
