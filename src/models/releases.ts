/** The loaded models of a release: what a job runs on. See decisions 17 and 20. */
import type { Failure } from '../errors.ts';
import { type LoadedModel, loadedAs, type ModelSet, type Slot } from '../triton/clients/model.ts';
import { differences } from '../triton/clients/verify.ts';
import type { Control, IndexEntry } from '../triton/protocol/control.ts';
import { modelUnavailable } from '../triton/protocol/faults.ts';
import type { Registry } from './registry.ts';
import { readRef, type SlotState, written } from './state.ts';

export type Releases = {
  /**
   * The models of the release that a job has recorded (`photo@r2`); null when it is gone: it was removed, unloaded or taken
   * back, or it no longer fits the contract of this version of the service. A job that asked for this very release
   * (`pinned`) gets it although it was taken back. Failure model_unavailable while Triton does not have it ready.
   */
  find(ref: string, slots: readonly Slot[], pinned: boolean): Promise<ModelSet | null>;
  /** What new jobs of the slot get. Failure model_unavailable, whose cause says what is missing or how it differs from its contract. */
  stable(
    slot: string,
    slots: readonly Slot[],
  ): Promise<{ readonly release: string; readonly models: ModelSet }>;
};

/** What is asked of Triton. */
export type RepositoryReader = Pick<Control, 'repositoryIndex' | 'modelConfig'>;

export const openReleases = (
  control: RepositoryReader,
  registry: Pick<Registry, 'read'>,
): Releases => ({
  find: async (ref, slots, pinned) => {
    const { slot, release } = readRef(ref);
    const state = await registry.read(slot);
    const found = Object.hasOwn(state.releases, release) ? state.releases[release] : undefined;
    if (!found?.loaded || (found.rejected !== null && !pinned)) return null;
    const isStable = release === state.stable;
    if (!isStable && !(await fits(control, state, release, slots))) return null;
    return loadedSet(control, state, release, slots);
  },
  stable: async (slot, slots) => {
    const state = await registry.read(slot);
    const models = await loadedSet(control, state, state.stable, slots);
    return { release: written(slot, state.stable), models };
  },
});

/** The release's models for these Triton slots. Failure model_unavailable, of the first slot whose model is not ready. */
export const loadedSet = async (
  control: RepositoryReader,
  state: SlotState,
  release: string,
  slots: readonly Slot[],
): Promise<ModelSet> => {
  const named = slots.map((slot) => ({ slot, name: nameOf(state, release, slot) }));
  // At once, as each takes a turn to Triton and back. A model that is not ready has no config.
  const [index, configs] = await Promise.all([
    control.repositoryIndex(),
    Promise.allSettled(named.map(({ name }) => control.modelConfig(name))),
  ]);
  const models = named.map(({ slot, name }, at): LoadedModel => {
    const isReady = index.some((entry) => entry.name === name && entry.state === 'READY');
    if (!isReady) throw absent(slot.name, name, index);
    const config = configs[at];
    if (config?.status !== 'fulfilled') throw config?.reason;
    return loadedAs(slot, config.value);
  });
  return setOf(models);
};

/** A set for models that are computed without Triton, and always loaded. */
export const fixedSet = (version: string): ModelSet => ({ ...setOf([]), version });

const nameOf = ({ releases, slot }: SlotState, release: string, tritonSlot: Slot): string => {
  const name = releases[release]?.models[tritonSlot.name];
  if (name === undefined) {
    const why = `the release ${slot}@${release} has no model for ${tritonSlot.name}`;
    throw modelUnavailable(tritonSlot.name, new Error(why));
  }
  return name;
};

/** Whether each model that is ready fulfils its contract; one that is not ready yet may. */
const fits = async (
  control: RepositoryReader,
  state: SlotState,
  release: string,
  slots: readonly Slot[],
): Promise<boolean> => {
  const index = await control.repositoryIndex();
  const each = slots.map(async (slot) => {
    const name = nameOf(state, release, slot);
    if (!index.some((entry) => entry.name === name && entry.state === 'READY')) return true;
    return differences(await control.modelConfig(name), slot.contract).length === 0;
  });
  return (await Promise.all(each)).every(Boolean);
};

const absent = (slot: string, name: string, index: readonly IndexEntry[]): Failure => {
  const entry = index.find((one) => one.name === name);
  const reason = entry?.reason ? ` (${entry.reason})` : '';
  const why = entry
    ? `it is ${entry.state ?? 'never loaded'}${reason}`
    : 'the repository has no model of this name';
  return modelUnavailable(slot, new Error(`expected ${name} to be READY; ${why}`));
};

const setOf = (models: readonly LoadedModel[]): ModelSet => ({
  version: models.map(({ release }) => release).join('+'),
  all: models,
  of: (slot) => {
    const found = models.find((model) => model.slot === slot);
    if (!found) throw new Error(`the slot ${slot} was not asked for`);
    return found;
  },
});
