/** One look at a server: what it has in its repository, and the releases of what is READY. */
import { inOrder } from '../../async/in-order.ts';
import { Failure } from '../../errors.ts';
import type { Control, IndexEntry } from '../protocol/control.ts';
import type { Within } from '../protocol/wire.ts';

/** Triton answers this question at once, also while its models compute. */
const answerWithinMs = 1_500;
/** Models whose config is asked for at the same time: a server may have any number of them. */
const askedAtOnce = 4;

export type Look = {
  readonly index: readonly IndexEntry[];
  /** The parameter `release` of each model that is READY, by the name of the model. */
  readonly releases: ReadonlyMap<string, string>;
};

/**
 * before: what was known, so that the config of a model is asked for once. Throws Failure model_unavailable.
 * health/ready is not asked: once a single model could not be loaded it is false until the server ends.
 */
export const look = async (control: Control, before: Look, signal: AbortSignal): Promise<Look> => {
  const within = { timeoutMs: answerWithinMs, signal };
  const index = await control.repositoryIndex(within);
  const ready = index.filter(({ state }) => state === 'READY').map(({ name }) => name);
  const told = inOrder(new Set(ready), askedAtOnce, async (name) => ({
    name,
    release: before.releases.get(name) ?? (await releaseOf(control, name, within)),
  }));
  const releases = new Map<string, string>();
  for await (const { name, release } of told) if (release !== null) releases.set(name, release);
  return { index, releases };
};

/** Null for a model that is no longer READY, or not reported now; '' for one without the parameter. */
const releaseOf = async (
  control: Control,
  model: string,
  within: Within,
): Promise<string | null> => {
  try {
    return (await control.modelConfig(model, within)).parameters.release ?? '';
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
};
