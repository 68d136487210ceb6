/** What the models are at this moment, as `GET /v1/models`, readiness and a new job's price need it. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../errors.ts';
import type { Log } from '../log.ts';
import type { ModelSet, Slot } from '../triton/clients/model.ts';
import { modelUnavailable, toldAs } from '../triton/protocol/faults.ts';
import type { Transport } from '../triton/protocol/transport.ts';
import { type AskEngine, openEngines } from './engines.ts';
import { fixedSet, openReleases, type Releases, type RepositoryReader } from './releases.ts';

/** A model that callers can name. */
export type CatalogueEntry = {
  readonly id: string;
  /** The models that an image or a video goes through; none for a kind that this model does not take. */
  readonly slots: { readonly image: readonly Slot[]; readonly video: readonly Slot[] };
  /** Of a model that is computed without Triton: it has no slots and is always ready. */
  readonly release?: string;
  readonly engine?: AskEngine;
};

/** How a model stands. */
export type ModelState = {
  readonly id: string;
  readonly ready: boolean;
  /** What new jobs get as model_version, by the kind of their input; null where there is none, or while not ready. */
  readonly releases: { readonly image: string | null; readonly video: string | null };
  /** Null until the model has told it. */
  readonly engine: string | null;
};

type CatalogueParts = {
  readonly transport: Transport;
  readonly control: RepositoryReader;
  readonly log: Log;
  readonly signal: AbortSignal;
};

/** Triton answers these questions at once, also while its models are busy. After this time it counts as hanging. */
const answerWithinMs = 1_500;
/** How long an answer is used: every new job needs one, and models change seldom. */
const freshMs = 1_000;

/** Asks Triton at most once in `freshMs`, and each release for its engine only once. */
export const openCatalogue = (
  entries: readonly CatalogueEntry[],
  { transport, control, log, signal }: CatalogueParts,
) => {
  if (new Set(entries.map(({ id }) => id)).size < entries.length)
    throw new Error('expected each model id once, over all operations');
  const engineOf = openEngines(transport, signal);
  const complain = openComplaints(log);
  const stateOf = async (entry: CatalogueEntry, releases: Releases): Promise<ModelState> => {
    const { id } = entry;
    try {
      const { image, video } = await soon(id, currentSets(entry, releases));
      complain(id, null);
      // An image goes through everything that a video goes through.
      const models = image ?? video;
      const engine = models && (await engineOf(entry, models));
      const versions = { image: image?.version ?? null, video: video?.version ?? null };
      return { id, ready: true, releases: versions, engine };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      complain(id, error);
      return { id, ready: false, releases: { image: null, video: null }, engine: null };
    }
  };
  const look = (): Promise<readonly ModelState[]> => {
    const releases = openReleases(askingOnce(control));
    return Promise.all(entries.map((entry) => stateOf(entry, releases)));
  };

  let latest: { readonly atMs: number; readonly states: ReturnType<typeof look> } | undefined;
  const describe = (): ReturnType<typeof look> => {
    const now = performance.now();
    if (!latest || now - latest.atMs > freshMs) latest = { atMs: now, states: look() };
    return latest.states;
  };

  return { describe };
};

type CurrentSets = { readonly image: ModelSet | null; readonly video: ModelSet | null };

/** Throws Failure model_unavailable under the model's id. */
const currentSets = async (
  { id, slots, release }: CatalogueEntry,
  releases: Releases,
): Promise<CurrentSets> => {
  if (release !== undefined) return { image: fixedSet(release), video: fixedSet(release) };
  const current = (some: readonly Slot[]) => (some.length > 0 ? releases.current(some) : null);
  const both = Promise.all([current(slots.image), current(slots.video)]);
  const [image, video] = await toldAs(id, both);
  return { image, video };
};

/** Asks Triton each question once: many models share slots. */
const askingOnce = (control: RepositoryReader): RepositoryReader => {
  let index: ReturnType<RepositoryReader['repositoryIndex']> | undefined;
  const configs = new Map<string, ReturnType<RepositoryReader['modelConfig']>>();
  return {
    repositoryIndex: () => {
      index ??= control.repositoryIndex();
      return index;
    },
    modelConfig: (name) => {
      const config = configs.get(name) ?? control.modelConfig(name);
      configs.set(name, config);
      return config;
    },
  };
};

/** The answer, or model_unavailable when it does not come in time. */
const soon = async <T>(model: string, answer: Promise<T>): Promise<T> => {
  const end = new AbortController();
  const late = sleep(answerWithinMs, undefined, { signal: end.signal }).then(async () => {
    // If this process itself was busy for that long, the answer may have arrived without having been read yet.
    await setImmediate();
    throw modelUnavailable(model, new Error(`no answer within ${answerWithinMs} ms`));
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    end.abort();
    // The later of the two still settles; its outcome is not needed.
    void Promise.allSettled([answer, late]);
  }
};

/** Callers only hear that a model is not ready; the reason is logged once, until it changes. */
const openComplaints = (log: Log) => {
  const missing = new Map<string, string>();
  return (model: string, failure: Failure | null): void => {
    if (!failure) return void missing.delete(model);
    const why = failure.cause instanceof Error ? failure.cause.message : failure.message;
    if (missing.get(model) !== why) log.warn({ model, why }, 'a model is not ready');
    missing.set(model, why);
  };
};
