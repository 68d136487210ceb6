/** Which releases of the models Triton has loaded, which are current, and where the one of a job is. See decision 17. */
import type { Failure } from '../errors.ts';
import { type LoadedModel, loadedAs, type ModelSet, type Slot } from '../triton/clients/model.ts';
import { differences } from '../triton/clients/verify.ts';
import type { Control, IndexEntry } from '../triton/protocol/control.ts';
import { modelUnavailable } from '../triton/protocol/faults.ts';

export type Releases = {
  /** What new jobs get. Throws Failure model_unavailable, whose cause says what is missing or how it differs from its contract. */
  current(slots: readonly Slot[]): Promise<ModelSet>;
  /**
   * The models whose releases are `version`; null when one of them is gone: Triton has another release of its slot,
   * and is not loading any. Throws Failure model_unavailable when it cannot be said yet.
   */
  find(version: string, slots: readonly Slot[]): Promise<ModelSet | null>;
};

/** What is asked of Triton. */
export type RepositoryReader = Pick<Control, 'repositoryIndex' | 'modelConfig'>;

export const openReleases = (control: RepositoryReader): Releases => ({
  current: async (slots) => {
    const index = await control.repositoryIndex();
    const load = async (slot: Slot): Promise<LoadedModel> => {
      const name = currentOf(slot.name, readyIn(index, slot.name));
      if (name === undefined) throw absent(slot.name, index);
      return loadedAs(slot, await control.modelConfig(name));
    };
    return setOf(await Promise.all(slots.map(load)));
  },
  find: async (version, slots) => {
    const releases = version.split('+');
    if (releases.length !== slots.length) return null;
    const index = await control.repositoryIndex();
    const found = await Promise.all(
      slots.map((slot, at) => findOne(slot, releases[at] ?? '', index, control)),
    );
    const models = found.filter((model) => model !== null);
    return models.length === slots.length ? setOf(models) : null;
  },
});

/** A set for models that are computed without Triton, and always loaded. */
export const fixedSet = (version: string): ModelSet => ({ ...setOf([]), version });

/**
 * Which of a slot's loaded models is current, by their names in Triton: the one with the highest N in `__rN`; the slot's
 * own name counts as 0. A model with another suffix is never current. Nothing else decides this.
 */
const currentOf = (slot: string, names: readonly string[]): string | undefined =>
  names
    .map((name) => ({ name, number: numberOf(slot, name) }))
    .filter(({ number }) => !Number.isNaN(number))
    .sort((a, b) => b.number - a.number)[0]?.name;

const numberOf = (slot: string, name: string): number =>
  name === slot ? 0 : Number(/^__r([1-9]\d*)$/.exec(name.slice(slot.length))?.[1]);

const entriesOf = (index: readonly IndexEntry[], slot: string): IndexEntry[] =>
  index.filter(({ name }) => name === slot || name.startsWith(`${slot}__`));

/** Names of models in Triton. A model with several versions has an entry for each. */
const readyIn = (index: readonly IndexEntry[], slot: string): string[] => {
  const ready = entriesOf(index, slot).filter(({ state }) => state === 'READY');
  return [...new Set(ready.map(({ name }) => name))];
};

/** The loaded model of this release; null when it is gone. One that no longer fits the contract can run no job, and is gone too. */
const findOne = async (
  slot: Slot,
  release: string,
  index: readonly IndexEntry[],
  control: RepositoryReader,
): Promise<LoadedModel | null> => {
  const ready = readyIn(index, slot.name);
  const configs = await Promise.all(ready.map((name) => control.modelConfig(name)));
  const found = configs.find(
    (config) =>
      config.parameters.release === release && differences(config, slot.contract).length === 0,
  );
  if (found) return loadedAs(slot, found);
  // Triton does not tell the release of a model that it is loading: it may be this one.
  const changing = entriesOf(index, slot.name).some(({ state }) =>
    /^(UN)?LOADING$/.test(state ?? ''),
  );
  if (changing || ready.length === 0) throw absent(slot.name, index);
  return null;
};

const absent = (slot: string, index: readonly IndexEntry[]): Failure => {
  const states = entriesOf(index, slot).map(
    ({ name, state = 'never loaded', reason }) =>
      `${name} is ${state}${reason ? ` (${reason})` : ''}`,
  );
  const why = states.join(', ') || 'the repository has no model of this name';
  return modelUnavailable(slot, new Error(`expected a release that is READY; ${why}`));
};

const setOf = (models: readonly LoadedModel[]): ModelSet => ({
  version: models.map(({ release }) => release).join('+'),
  of: (slot) => {
    const found = models.find((model) => model.slot === slot);
    if (!found) throw new Error(`the slot ${slot} was not asked for`);
    return found;
  },
});
