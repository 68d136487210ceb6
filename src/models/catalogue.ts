/** What the models are at this moment, as `GET /v1/models`, readiness and a new job's price need it. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { Failure } from '../errors.ts';
import type { Log } from '../log.ts';
import type { ModelSet, Slot } from '../triton/clients/model.ts';
import { modelUnavailable } from '../triton/protocol/faults.ts';
import type { Transport } from '../triton/protocol/transport.ts';
import { type AskEngine, openEngines } from './engines.ts';
import type { Registry } from './registry.ts';
import { fixedSet, loadedSet, type RepositoryReader } from './releases.ts';
import { type Alias, aliasOf, type SlotState, written } from './state.ts';

/** A model that callers can name. */
export type CatalogueEntry = {
  readonly id: string;
  /** The models that an image or a video goes through; none for a kind that this model does not take. */
  readonly slots: Readonly<Record<Kind, readonly Slot[]>>;
  /** The release of a model that is computed without Triton: it has no slots and is always ready. */
  readonly release?: string;
  readonly engine?: AskEngine;
};
type Kind = 'image' | 'video';
type Versions = Readonly<Record<Kind, string | null>>;

/** A release that callers can name. */
export type OfferedRelease = {
  readonly release: string;
  readonly alias: Alias | null;
  /** The share of new jobs, in percent, that get it at random; 0 unless it is the candidate. */
  readonly percent: number;
  readonly mirror: number;
  readonly ready: boolean;
  readonly versions: Versions;
};

/** How a model stands. */
export type ModelState = {
  readonly id: string;
  readonly ready: boolean;
  /** The model_version of the stable release, by the kind of the input; null where there is none, or while not ready. */
  readonly releases: Versions;
  /** Null until the model has reported it. */
  readonly engine: string | null;
  /** None for a model that is computed without Triton. */
  readonly offered: readonly OfferedRelease[];
};

type CatalogueParts = {
  readonly transport: Transport;
  readonly control: RepositoryReader;
  readonly registry: Pick<Registry, 'readAll' | 'revision'>;
  readonly log: Log;
  readonly signal: AbortSignal;
};

/** Triton answers these questions at once, also while its models are busy. After this time it counts as hanging. */
const answerWithinMs = 1_500;
/** How long a model still counts as ready when Triton, which had it ready, does not report it; its jobs wait for it. */
const rememberedMs = 30_000;
/** How long an answer is used: every new job needs one, and models change seldom. */
const freshMs = 1_000;
/** How long it is used while Triton is asked again, which takes long under load. */
const usableMs = 5_000;
/** So long after the start of this process models may still be loaded for the first time. */
const startMs = 60_000;
/** How long a config is used: a Triton may load another one of the same name without ever being away. */
const configMs = 10_000;
/** More than a Triton has. */
const mostConfigs = 1_000;

/**
 * Asks Triton at most once in `freshMs`, each release for its engine only once, and a model that stays ready for its config
 * once in `configMs`. With a call of `look` every second or two, `describe` answers without waiting.
 */
export const openCatalogue = (
  entries: readonly CatalogueEntry[],
  { transport, control, registry, log, signal }: CatalogueParts,
) => {
  if (new Set(entries.map(({ id }) => id)).size < entries.length)
    throw new Error('expected each model id once, over all operations');
  const engineOf = openEngines(transport, signal);
  const complain = openComplaints(log);
  const configs: Configs = new LRUCache({ max: mostConfigs, ttl: configMs });
  const remembered = new Map<string, { readonly atMs: number; readonly sets: Sets }>();

  /** What was ready recently counts as ready: a thread of Triton that loads a model answers no request for seconds. */
  const lately = (name: string): Sets => {
    const last = remembered.get(name);
    if (last && performance.now() - last.atMs < rememberedMs) return last.sets;
    throw modelUnavailable(name, new Error(`no answer within ${answerWithinMs} ms`));
  };

  /** A release's sets by kind; null, with the reason in the log, while it is not ready. */
  const setsOf = async (
    { id, slots }: CatalogueEntry,
    state: SlotState,
    release: string,
    reader: RepositoryReader,
  ): Promise<Sets | null> => {
    const name = written(id, release);
    try {
      const load = (some: readonly Slot[]) =>
        some.length > 0 ? loadedSet(reader, state, release, some) : null;
      const both = Promise.all([load(slots.image), load(slots.video)]);
      const found = await soon(both);
      if (found === 'late') return lately(name);
      complain(name, null);
      const [image, video] = found;
      remembered.set(name, { atMs: performance.now(), sets: { image, video } });
      return { image, video };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      complain(name, error);
      return null;
    }
  };

  const stateOf = async (
    entry: CatalogueEntry,
    states: readonly SlotState[],
    reader: RepositoryReader,
  ): Promise<ModelState> => {
    const { id, release } = entry;
    if (release !== undefined) {
      const engine = await engineOf(entry, fixedSet(release));
      return { id, ready: true, releases: bothVersions(release), engine, offered: [] };
    }
    const state = states.find(({ slot }) => slot === id);
    if (!state) throw new Error(`the registry has no slot ${id}`);
    const offer = async (name: string) => {
      const sets = await setsOf(entry, state, name, reader);
      const alias = aliasOf(state, name);
      const { percent = 0, mirror = 0 } = (alias === 'candidate' && state.candidate) || {};
      const told = { ready: sets !== null, versions: versionsOf(sets) };
      return { sets, offered: { release: name, alias, percent, mirror, ...told } };
    };
    const names = Object.keys(state.releases).filter((name) => state.releases[name]?.loaded);
    const offers = await Promise.all(names.map(offer));
    const sets = offers.find(({ offered }) => offered.alias === 'stable')?.sets ?? null;
    // An image goes through everything that a video goes through.
    const models = sets?.image ?? sets?.video;
    const engine = models ? await engineOf(entry, models) : null;
    const offered = offers.map((one) => one.offered);
    return { id, ready: sets !== null, releases: versionsOf(sets), engine, offered };
  };

  const look = async (): Promise<readonly ModelState[]> => {
    const states = await registry.readAll();
    const reader = askingOnce(control, configs);
    return Promise.all(entries.map((entry) => stateOf(entry, states, reader)));
  };

  let known: Answer | undefined;
  let asking:
    | { readonly revision: string | null; readonly states: ReturnType<typeof look> }
    | undefined;

  const lookAt = async (revision: string | null): ReturnType<typeof look> => {
    const atMs = performance.now();
    try {
      const states = await look();
      known = { atMs, revision, states };
      return states;
    } finally {
      if (asking?.revision === revision) asking = undefined;
    }
  };

  const ask = (revision: string | null): ReturnType<typeof look> => {
    if (!asking || asking.revision !== revision) asking = { revision, states: lookAt(revision) };
    return asking.states;
  };

  const describe = async (): ReturnType<typeof look> => {
    const revision = await registry.revision();
    // A promotion counts for the next job, in every process.
    const ageMs = known?.revision === revision ? performance.now() - known.atMs : Infinity;
    if (known && ageMs <= freshMs) return known.states;
    const states = ask(revision);
    if (!known || ageMs > usableMs) return states;
    // The next caller that finds this answer too old gets the error.
    states.catch(() => {});
    return known.states;
  };

  return {
    describe,
    look: async (): Promise<void> => {
      await ask(await registry.revision());
    },
  };
};

type Answer = {
  readonly atMs: number;
  /** The registry's revision. */
  readonly revision: string | null;
  readonly states: readonly ModelState[];
};
type Configs = LRUCache<string, ReturnType<RepositoryReader['modelConfig']>>;
type Sets = Readonly<Record<Kind, ModelSet | null>>;

const bothVersions = (version: string): Versions => ({ image: version, video: version });
const versionsOf = (sets: Sets | null): Versions => ({
  image: sets?.image?.version ?? null,
  video: sets?.video?.version ?? null,
});

/** Asks Triton each question once, as many models share slots; not for what `configs` has of models that were ready ever since. */
const askingOnce = (control: RepositoryReader, configs: Configs): RepositoryReader => {
  const look = async () => {
    try {
      const index = await control.repositoryIndex();
      const ready = new Set(index.flatMap(({ name, state }) => (state === 'READY' ? name : [])));
      for (const name of [...configs.keys()]) if (!ready.has(name)) configs.delete(name);
      return { index, ready };
    } catch (error) {
      // A server that does not answer may come back with other models under the same names.
      configs.clear();
      throw error;
    }
  };
  const configOf = async (name: string) => {
    try {
      return await control.modelConfig(name);
    } catch (error) {
      configs.delete(name);
      throw error;
    }
  };
  let looked: ReturnType<typeof look> | undefined;
  const once = () => {
    looked ??= look();
    return looked;
  };
  return {
    repositoryIndex: async () => (await once()).index,
    modelConfig: async (name) => {
      const { ready } = await once();
      if (!ready.has(name)) throw modelUnavailable(name, new Error('it is not ready'));
      const config = configs.get(name) ?? configOf(name);
      configs.set(name, config);
      return config;
    },
  };
};

/** The answer, or 'late' when it does not come in time. */
const soon = async <T>(answer: Promise<T>): Promise<T | 'late'> => {
  const end = new AbortController();
  const late = sleep(answerWithinMs, undefined, { signal: end.signal }).then(async () => {
    // If this process itself was busy for that long, the answer may have arrived without having been read yet.
    await setImmediate();
    return 'late' as const;
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    end.abort();
    // The later of the two still settles; its outcome is not needed.
    void Promise.allSettled([answer, late]);
  }
};

/**
 * Callers only hear that a model is not ready; the reason is logged once, until it changes. A start, when models are loaded
 * one after the other, gives no reason to complain.
 */
const openComplaints = (log: Log) => {
  const sinceMs = performance.now();
  const ready = new Set<string>();
  const missing = new Map<string, string>();
  return (model: string, failure: Failure | null): void => {
    if (!failure) {
      ready.add(model);
      missing.delete(model);
      return;
    }
    if (!ready.has(model) && performance.now() - sinceMs < startMs) return;
    const why = failure.cause instanceof Error ? failure.cause.message : failure.message;
    if (missing.get(model) !== why) log.warn({ model, why }, 'a model is not ready');
    missing.set(model, why);
  };
};
