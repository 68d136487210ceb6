/** A new release that does not pass: why, and nothing of it left. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../errors.ts';
import type { Control } from '../triton/protocol/control.ts';
import type { CheckResult } from './check.ts';
import { type Manifest, removeRelease } from './release-folder.ts';

/**
 * Failure release_refused in place of model_unavailable from loading a new release: nobody uses it yet, so that it cannot be
 * loaded is its own fault. Other errors as they are.
 */
export const asRefusal = (error: unknown): unknown => {
  if (!(error instanceof Failure) || error.code !== 'model_unavailable') return error;
  const { cause, facts } = error;
  const why = cause instanceof Error ? cause.message : String(cause);
  const reason = `${facts.model} could not be loaded: ${saidByModel(why)}`;
  return new Failure('release_refused', { reason }, { cause });
};

/** Triton puts what a model raised between its own words and where in the model's files that was. */
const saidByModel = (text: string): string => {
  const [before = ''] = text.split('\n\nAt:');
  return before.replace(/^.*?RuntimeError: /s, '').trim();
};

/** Throws Failure release_refused where a check did not pass. */
export const refuseFailed = (checks: readonly CheckResult[]): void => {
  const failed = checks.filter(({ ok }) => !ok);
  if (failed.length === 0) return;
  const reason = failed.map(({ name, detail }) => `${name}: ${detail}`).join('; ');
  const faults = failed.map(({ name, detail }) => ({ pointer: '', code: name, detail }));
  throw new Failure('release_refused', { reason }, { faults });
};

const goneWithinMs = 30_000;
const lookEveryMs = 100;

/**
 * Neither files nor a loaded model stay, on this Triton. The files go first: what still loads the model then ends by itself
 * (inference/serving/trial.py) or is killed (keeper.py); until it has ended Triton would not answer to an unload.
 * Throws Failure model_unavailable when that takes too long.
 */
export const takeBack = async (
  manifest: Manifest,
  { modelsDir, control }: { readonly modelsDir: string; readonly control: Control },
): Promise<void> => {
  await removeRelease(modelsDir, manifest);
  const names = Object.values(manifest.models).map(({ name }) => name);
  const end = performance.now() + goneWithinMs;
  for (;;) {
    const index = await control.repositoryIndex();
    const left = index.filter(({ name }) => names.includes(name));
    for (const { name } of left.filter(({ state }) => state === 'READY'))
      await control.unload(name);
    if (left.every(({ state }) => state === undefined || state === 'UNAVAILABLE')) return;
    if (performance.now() > end) throw stillThere(names);
    await sleep(lookEveryMs);
  }
};

const stillThere = (names: readonly string[]): Failure => {
  const cause = new Error(`not gone within ${goneWithinMs / 1000} s`);
  return new Failure('model_unavailable', { model: names.join(', ') }, { cause });
};
