/** Keeps every Triton at what is stored: restarted ones and newcomers get the releases that are in use, and retired ones go. */
import type { Log } from '../log.ts';
import { type Everywhere, knownModels, type Replica, stateIn, wantedModels } from './everywhere.ts';
import { verifyFiles } from './pack/release-folder.ts';
import type { Registry } from './registry.ts';
import { aliasOf, type SlotState, unloaded, written } from './state.ts';

type Parts = {
  readonly registry: Registry;
  readonly everywhere: Everywhere;
  readonly modelsDir: string;
  /** How long a release stays loaded that is no longer stable: the way back takes no time until then. */
  readonly keepMs: number;
  readonly log: Log;
};

/** After a load that failed, and twice as long after each further one. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;

/** Returns one pass, to be repeated. Passes of several processes do not disturb each other. */
export const openReconcile = ({ registry, everywhere, modelsDir, keepMs, log }: Parts) => {
  const failed = new Map<string, { readonly times: number; readonly at: number }>();
  const loading = new Set<string>();

  const mayTry = (key: string): boolean => {
    const last = failed.get(key);
    if (!last) return true;
    return (
      performance.now() - last.at > Math.min(FIRST_PAUSE_MS * 2 ** last.times, LONGEST_PAUSE_MS)
    );
  };

  const load = async (replica: Replica, model: string, states: readonly SlotState[]) => {
    const key = `${replica.name} ${model}`;
    if (loading.has(key) || !mayTry(key)) return;
    loading.add(key);
    try {
      const changed = await changedFiles(model, states, modelsDir);
      if (changed.length > 0) throw new Error(`its files have changed: ${changed.join('; ')}`);
      await everywhere.loadOn(replica, model);
      failed.delete(key);
      log.info({ model, replica: replica.name }, 'loaded a model that is in use');
    } catch (error) {
      failed.set(key, { times: (failed.get(key)?.times ?? 0) + 1, at: performance.now() });
      const why = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      log.warn({ model, replica: replica.name, why: String(why) }, 'a model could not be loaded');
    } finally {
      loading.delete(key);
    }
  };

  const align = async (replica: Replica, states: readonly SlotState[]): Promise<void> => {
    const index = await replica.control.repositoryIndex();
    const [wanted, known] = [wantedModels(states), knownModels(states)];
    for (const model of known) {
      const state = stateIn(index, model);
      if (
        wanted.has(model) &&
        state !== 'READY' &&
        state !== 'LOADING' &&
        !isStarting(model, state, states)
      )
        void load(replica, model, states);
      if (!wanted.has(model) && state === 'READY') await everywhere.unloadOn(replica, model);
    }
  };

  /** Unloads what no alias has meant for a while, once no job needs it. */
  const retire = async (state: SlotState): Promise<void> => {
    for (const [name, { loaded, retired_at }] of Object.entries(state.releases)) {
      const isDue = loaded && retired_at !== null && Date.now() - retired_at > keepMs;
      if (!isDue || aliasOf(state, name) !== null) continue;
      if ((await registry.close(state.slot, name)) > 0) continue;
      const act = { by: 'service', action: 'unload', release: name, detail: 'its jobs are done' };
      await registry.change(state.slot, (now) => unloaded(now, name), act);
      log.info({ release: written(state.slot, name) }, 'a release whose jobs are done is unloaded');
    }
  };

  return async (): Promise<void> => {
    for (const state of await registry.readAll()) await retire(state);
    const states = await registry.readAll();
    await Promise.all(everywhere.all().map((replica) => align(replica, states)));
  };
};

/** A model that ships is loaded when Triton is started; here only if it was unloaded since. */
const isStarting = (model: string, state: string | undefined, states: readonly SlotState[]) =>
  state === undefined &&
  states.some(({ releases }) =>
    Object.values(releases).some(
      ({ shipped, models }) => shipped && Object.values(models).includes(model),
    ),
  );

const changedFiles = async (
  model: string,
  states: readonly SlotState[],
  modelsDir: string,
): Promise<string[]> => {
  const manifests = states.flatMap(({ releases }) =>
    Object.values(releases).flatMap(({ manifest }) => (manifest ? [manifest] : [])),
  );
  const own = manifests.find(({ models }) =>
    Object.values(models).some(({ name }) => name === model),
  );
  return own ? verifyFiles(modelsDir, own) : [];
};
