/** A new release on one Triton: packed, loaded and checked, and nothing of it left where it does not pass. */
import { Failure } from '../errors.ts';
import type { Slot } from '../triton/clients/model.ts';
import type { Control } from '../triton/protocol/control.ts';
import type { Transport } from '../triton/protocol/transport.ts';
import { type CheckBounds, type CheckResult, checkRelease } from './check/check.ts';
import {
  disown,
  type Manifest,
  packRelease,
  type ReleaseSource,
  removeRelease,
} from './pack/release-folder.ts';
import type { Taken } from './release-names.ts';

type AddParts = {
  readonly modelsDir: string;
  readonly tritonSlots: readonly Slot[];
  readonly taken: Taken;
  readonly control: Control;
  readonly transport: Transport;
  readonly signal: AbortSignal;
  /** A model that is not loaded by then hangs. */
  readonly loadWithinMs: number;
  readonly bounds: CheckBounds;
};

/** Throws Failure release_refused with everything that was found. */
export const addOn = async (
  source: ReleaseSource,
  parts: AddParts,
): Promise<{ readonly manifest: Manifest; readonly checks: readonly CheckResult[] }> => {
  const { modelsDir, control, tritonSlots: slots } = parts;
  const manifest = await packRelease(source, parts);
  try {
    for (const { name } of Object.values(manifest.models)) await loadNew(name, parts);
    const checks = await checkRelease({ ...parts, manifest, slots });
    refuseFailed(checks);
    return { manifest: { ...manifest, memory_bytes: checks.at(-1)?.bytes ?? null }, checks };
  } catch (error) {
    await takeBack(manifest, modelsDir, [control]);
    throw error;
  }
};

/** Throws Failure release_refused with Triton's reason: a release that is not used yet is itself at fault. */
export const loadNew = async (
  name: string,
  { control, signal, loadWithinMs }: Pick<AddParts, 'control' | 'signal' | 'loadWithinMs'>,
): Promise<void> => {
  try {
    await control.load(name, loadWithinMs, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure)) throw error;
    throw notLoaded(name, error.cause, loadWithinMs);
  }
};

const notLoaded = (name: string, cause: unknown, withinMs: number): Failure => {
  const why = cause instanceof Error ? cause.message : String(cause);
  const reason = why.startsWith('no answer within')
    ? `${name} was not loaded within ${withinMs / 1000} s`
    : `${name} could not be loaded: ${saidByModel(why)}`;
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

/**
 * Nothing of it stays: neither files nor a loaded model. The keeper kills what still loads a disowned model; Triton answers to an
 * unload when that has ended. Only then the files go and the name is free: Triton 24.10 does not bear a process that cannot
 * find its files. A Triton that does not answer has ended, perhaps for this very model, or is ended by its keeper: nothing that
 * it had loaded comes back.
 */
export const takeBack = async (
  manifest: Manifest,
  modelsDir: string,
  tritons: readonly Control[],
): Promise<void> => {
  const names = Object.values(manifest.models).map(({ name }) => name);
  try {
    await disown(modelsDir, manifest);
    await Promise.allSettled(
      tritons.flatMap((control) => names.map((name) => control.unload(name, goneWithinMs))),
    );
  } finally {
    await removeRelease(modelsDir, manifest);
  }
};
