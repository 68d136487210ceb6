/** Watches the jobs of a release that is on trial, and takes it back by itself when it fails too often. */
import type { Failure } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Control } from '../triton/protocol/control.ts';
import { stateIn } from './everywhere.ts';
import type { Registry } from './registry.ts';
import { readRef, rejected, type SlotState, written } from './state.ts';

export type Trial = ReturnType<typeof openTrial>;

type Parts = {
  readonly registry: Registry;
  readonly control: Pick<Control, 'repositoryIndex'>;
  readonly log: Log;
  readonly bounds: {
    /** Fewer failed attempts say nothing. */
    readonly errors: number;
    /** The percentage of all attempts. */
    readonly errorPercent: number;
    /** How long after its promotion a stable release is still on trial. */
    readonly watchMs: number;
  };
};

/** Failures of an attempt that a model causes; of `model_unavailable` only where other models are there. */
const modelFaults: readonly string[] = ['inference_failed', 'model_unavailable'];

export const openTrial = ({ registry, control, log, bounds }: Parts) => {
  const isAlone = async (failure: Failure, state: SlotState, name: string): Promise<boolean> => {
    if (failure.code !== 'model_unavailable') return true;
    const other = state.candidate?.release === name ? state.stable : state.previous;
    const models = other === null ? [] : Object.values(state.releases[other]?.models ?? {});
    try {
      const index = await control.repositoryIndex();
      return models.length > 0 && models.every((model) => stateIn(index, model) === 'READY');
    } catch {
      // Triton is away: that says nothing about the release.
      return false;
    }
  };

  const takeBack = async (state: SlotState, name: string, why: string): Promise<void> => {
    const ref = written(state.slot, name);
    const act = { by: 'service', action: 'rollback', release: name, detail: why };
    await registry.change(
      state.slot,
      (now) => (isOnTrial(now, name, bounds.watchMs) ? rejected(now, name, why, Date.now()) : now),
      act,
    );
    log.error({ release: ref, why }, 'a release is taken back');
  };

  const failed = async (ref: string, failure: Failure): Promise<void> => {
    const { slot, release } = readRef(ref);
    const state = await registry.read(slot);
    if (!(await isAlone(failure, state, release))) return;
    await registry.count(ref, 'failed');
    if (!isOnTrial(state, release, bounds.watchMs)) return;
    const { done, failed } = await registry.tally(ref);
    const percent = (100 * failed) / (done + failed);
    if (failed < bounds.errors || percent < bounds.errorPercent) return;
    const why = `${failed} of ${done + failed} attempts failed, the last one so: ${failure.message}`;
    await takeBack(state, release, why);
  };

  const ended = async (ref: string, failure: Failure | null): Promise<boolean> => {
    if (ref === '' || (failure && !modelFaults.includes(failure.code))) return false;
    if (!failure) {
      await registry.count(ref, 'done');
      return false;
    }
    await failed(ref, failure);
    const { slot, release } = readRef(ref);
    const { releases } = await registry.read(slot);
    return Boolean(releases[release]?.rejected);
  };

  return {
    /** The candidate has done a finished job again; `likeness` in dB, null where only its success is told. */
    compared: (ref: string, likeness: number | null): Promise<void> =>
      registry.compared(ref, likeness),

    /** An attempt has ended: with a result, or with a failure. Whether it failed by a release that is taken back by now. */
    ended: async (ref: string, failure: Failure | null): Promise<boolean> => {
      try {
        return await ended(ref, failure);
      } catch (error) {
        // A job does not fail because its end could not be counted, as while Redis has no memory.
        log.warn({ release: ref, err: error }, 'the end of an attempt was not counted');
        return false;
      }
    },
  };
};

/** Whether it is the candidate, or was made stable within `watchMs` with a release to go back to. */
const isOnTrial = (
  { candidate, stable, previous, promoted_at }: SlotState,
  name: string,
  watchMs: number,
): boolean =>
  candidate?.release === name ||
  (candidate === null &&
    name === stable &&
    previous !== null &&
    Date.now() - (promoted_at ?? 0) < watchMs);
