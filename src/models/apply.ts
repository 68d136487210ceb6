/** Brings the releases to what a models.yaml says. Applied again it does nothing. */
import type { AppliedModels, ModelsFile } from '../contract/releases.ts';
import { Failure, type Fault } from '../errors.ts';
import type { Operate } from './operate.ts';
import type { Registry } from './registry.ts';
import { type SlotState, written } from './state.ts';

type Wanted = ModelsFile['slots'][string];
type Step = AppliedModels['steps'][number] & { readonly run: () => Promise<unknown> };
type Parts = { readonly registry: Registry; readonly operate: Operate };

/** Everything is checked before anything is done; a step that is refused ends it there. Failure validation_failed, and those of the steps. */
export const applyModels = async (
  { registry, operate }: Parts,
  { slots, dry_run }: ModelsFile,
  by: string,
): Promise<AppliedModels> => {
  const plans = await Promise.all(
    Object.entries(slots).map(async ([slot, wanted]) => {
      const state = await registry.read(slot);
      return { faults: faultsOf(state, wanted), steps: stepsOf(state, wanted, operate, by) };
    }),
  );
  const faults = plans.flatMap((plan) => plan.faults);
  if (faults.length > 0) {
    const detail = faults.map((fault) => fault.detail).join(' ');
    throw new Failure('validation_failed', { detail }, { faults });
  }
  const steps = plans.flatMap((plan) => plan.steps);
  for (const { run } of dry_run ? [] : steps) await run();
  return { dry_run, steps: steps.map(({ run: _, ...told }) => told) };
};

const isNew = ({ releases }: SlotState, name: string): boolean => !Object.hasOwn(releases, name);

/** Every release that is named must be there, or be added from a path. */
const faultsOf = (state: SlotState, { stable, candidate, releases }: Wanted): Fault[] => {
  const from = new Set(releases.flatMap(({ release, path }) => (path ? [release] : [])));
  const named = [stable, candidate?.release, ...releases.map(({ release }) => release)];
  return named
    .filter((name) => name !== undefined)
    .filter((name) => isNew(state, name) && !from.has(name))
    .map((name) => ({
      pointer: `/slots/${state.slot}`,
      code: 'not_allowed',
      detail: `Expected a release that was added, or has a path to add it from; got ${written(state.slot, name)}.`,
    }));
};

const stepsOf = (state: SlotState, wanted: Wanted, operate: Operate, by: string): Step[] => {
  const { slot } = state;
  const { stable = state.stable, candidate } = wanted;
  const steps: Step[] = [];
  for (const { release, path, licence, source } of wanted.releases) {
    if (!path || !isNew(state, release)) continue;
    const from = { path, slot, release, licence, source };
    const step = { action: 'add', release: written(slot, release), detail: path };
    steps.push({ ...step, run: () => operate.add(from, by) });
  }
  const promotes = stable !== state.stable;
  if (promotes) {
    const release = written(slot, stable);
    steps.push({ action: 'promote', release, detail: '', run: () => operate.promote(release, by) });
  }
  // A promotion ends the canary that there was.
  const runs = promotes ? null : state.candidate;
  if (candidate === null && runs) {
    const step = { action: 'rollback', release: written(slot, runs.release), detail: 'no canary' };
    steps.push({ ...step, run: () => operate.rollback(slot, by) });
  }
  if (candidate && !isSame(candidate, runs)) {
    const release = written(slot, candidate.release);
    const detail = `${candidate.percent} %`;
    const run = () => operate.canary(release, candidate, by);
    steps.push({ action: 'canary', release, detail, run });
  }
  return steps;
};

const isSame = (wanted: NonNullable<Wanted['candidate']>, runs: SlotState['candidate']): boolean =>
  runs !== null &&
  wanted.release === runs.release &&
  wanted.percent === runs.percent &&
  wanted.mirror === runs.mirror;
