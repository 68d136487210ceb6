/** What the models are at this moment, as `GET /v1/models`, readiness and a new job's price need it. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../errors.ts';
import type { Log } from '../log.ts';
import type { LipsyncModel } from '../operations/lip-sync/request.ts';
import { readLipsync } from '../triton/clients/lipsync.ts';
import { askEngine, readUpscaler } from '../triton/clients/upscaler.ts';
import type { Control } from '../triton/protocol/control.ts';
import { modelUnavailable } from '../triton/protocol/faults.ts';
import type { Transport } from '../triton/protocol/transport.ts';

export type ModelState<Id extends string> = {
  readonly id: Id;
  readonly ready: boolean;
  readonly release: string | null;
  /** What a portrait gets where that takes more than a clip does. */
  readonly portraitRelease?: string;
  /** Null until the model has told it. */
  readonly engine: string | null;
};
type Told = Omit<ModelState<string>, 'id' | 'ready'>;
type Ids<U extends string, L extends LipsyncModel> = {
  readonly upscale: readonly U[];
  readonly lipsync: readonly L[];
};

/** A busy model answers when its turn comes; those who only want to know what is there do not wait for that. */
const engineWithinMs = 500;
/** Triton itself answers at once, also while its models are busy. Longer than this, and it hangs. */
const toldWithinMs = 1_500;
/** So long an answer holds: every new job needs it, and models change seldom. */
const freshMs = 1_000;

/** Asks Triton at most once in `freshMs`, and each release for its engine only once. */
export const openCatalogue = <U extends string, L extends LipsyncModel>(
  { upscale, lipsync }: Ids<U, L>,
  transport: Transport,
  control: Control,
  log: Log,
  signal: AbortSignal,
) => {
  const engineOf = openEngines(transport, signal);
  const readUpscale = async (id: U): Promise<Told> => {
    const { release } = await soon(id, readUpscaler(id, control));
    return { release, engine: await engineOf(id, release) };
  };
  const readLips = async (id: L): Promise<Told> => {
    const { model: _, ...told } = await soon(id, readLipsync(id, control));
    return told;
  };
  const tellOnce = openComplaints(log);
  const stateOf = async <Id extends string>(id: Id, read: (id: Id) => Promise<Told>) => {
    try {
      const told = await read(id);
      tellOnce(id, null);
      return { id, ready: true, ...told };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      tellOnce(id, error);
      return { id, ready: false, release: null, engine: null };
    }
  };
  const look = (): Promise<readonly ModelState<U | L>[]> =>
    Promise.all([
      ...upscale.map((id) => stateOf(id, readUpscale)),
      ...lipsync.map((id) => stateOf(id, readLips)),
    ]);

  let latest: { readonly atMs: number; readonly states: ReturnType<typeof look> } | undefined;
  const describe = (): ReturnType<typeof look> => {
    const now = performance.now();
    if (!latest || now - latest.atMs > freshMs) latest = { atMs: now, states: look() };
    return latest.states;
  };

  return { describe };
};

/** The answer, or model_unavailable when it does not come in time. */
const soon = async <T>(model: string, answer: Promise<T>): Promise<T> => {
  const end = new AbortController();
  const late = sleep(toldWithinMs, undefined, { signal: end.signal }).then(async () => {
    // When this process was busy for so long itself, the answer may have come and wait to be read.
    await setImmediate();
    throw modelUnavailable(model, new Error(`no answer within ${toldWithinMs} ms`));
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    end.abort();
    // Whichever comes second is not wanted any more.
    void Promise.allSettled([answer, late]);
  }
};

/** Tells what computes a release, as far as it is known within `engineWithinMs`. */
const openEngines = (transport: Transport, signal: AbortSignal) => {
  const engines = new Map<string, string>();
  const asking = new Map<string, Promise<void>>();

  const learn = async (id: string, release: string): Promise<void> => {
    try {
      engines.set(release, await askEngine(id, transport, signal));
    } catch (error) {
      // It stays unknown and is asked again next time.
      if (!signal.aborted && !(error instanceof Failure)) throw error;
    } finally {
      asking.delete(release);
    }
  };

  return async (id: string, release: string): Promise<string | null> => {
    if (!engines.has(release)) {
      const asked = asking.get(release) ?? learn(id, release);
      asking.set(release, asked);
      await Promise.race([asked, sleep(engineWithinMs, undefined, { ref: false })]);
    }
    return engines.get(release) ?? null;
  };
};

/** Callers only hear that a model is not ready; the reason is for the log, once. */
const openComplaints = (log: Log) => {
  const missing = new Map<string, string>();
  return (model: string, failure: Failure | null): void => {
    if (!failure) return void missing.delete(model);
    const why = failure.cause instanceof Error ? failure.cause.message : failure.message;
    if (missing.get(model) !== why) log.warn({ model, why }, 'a model is not ready');
    missing.set(model, why);
  };
};
