/** Which release a new job gets. Pure. */
import { Failure } from '../errors.ts';
import { oneOf } from '../text/expected.ts';
import type { ModelState, OfferedRelease } from './catalogue.ts';
import { written } from './state.ts';

/** The release of a job, chosen once and recorded. */
export type Choice = {
  /** `photo@r2`; '' for a model that is computed without Triton. */
  readonly release: string;
  readonly modelVersion: string;
  /** It was chosen by chance, as the slot's candidate. */
  readonly canary: boolean;
  /** The caller asked for this very release. */
  readonly pinned: boolean;
  /** The candidate that is to do the same work again, uncharged, to be compared; '' for none. */
  readonly mirror: string;
};

/** What two draws from 0..100 decide: whether the job is a canary, and whether it is mirrored. */
type Draw = () => number;
const percentDrawn: Draw = () => Math.random() * 100;

/** What a caller named: `photo@r2`. The model may be another one than the slot, which an option chose: `by` says which. */
type Pin = { readonly model: string; readonly release: string; readonly by?: string | undefined };

/**
 * The choice for a job with this kind of input; null while the release is not ready. `pin` is the release that the caller named.
 * Failure validation_failed when there is no such release.
 */
export const chooseRelease = (
  state: ModelState,
  kind: 'image' | 'video',
  pin: Pin | null,
  draw: Draw = percentDrawn,
): Choice | null => {
  const unaliased = { canary: false, pinned: false, mirror: '' };
  if (state.offered.length === 0) {
    if (pin !== null) throw unknownRelease(state, pin);
    const modelVersion = state.releases[kind];
    return state.ready && modelVersion !== null
      ? { ...unaliased, release: '', modelVersion }
      : null;
  }
  const candidate = state.offered.find(({ alias }) => alias === 'candidate');
  const stable = state.offered.find(({ alias }) => alias === 'stable');
  const chosen = (one: OfferedRelease | undefined): Choice | null => {
    const modelVersion = one?.versions[kind] ?? null;
    if (!one?.ready || modelVersion === null) return null;
    return { ...unaliased, release: written(state.id, one.release), modelVersion };
  };
  if (pin !== null) {
    const named = state.offered.find(({ release }) => release === pin.release);
    if (!named) throw unknownRelease(state, pin);
    const choice = chosen(named);
    return choice && { ...choice, pinned: true };
  }
  // A candidate that is not ready yet gets no jobs: they go to the stable release.
  const tried = candidate && draw() < candidate.percent ? chosen(candidate) : null;
  if (tried) return { ...tried, canary: true };
  const choice = chosen(stable);
  const mirrored = candidate?.ready && draw() < candidate.mirror;
  return choice && mirrored ? { ...choice, mirror: written(state.id, candidate.release) } : choice;
};

const unknownRelease = ({ offered }: ModelState, { model, release, by }: Pin): Failure => {
  const allowed = [model, ...offered.map((one) => written(model, one.release))];
  const fault = {
    pointer: '/model',
    code: 'not_allowed',
    detail: `Expected ${oneOf(allowed.map((name) => `"${name}"`))}${by ? ` with ${by}` : ''}; got "${written(model, release)}".`,
    allowed,
  };
  return new Failure('validation_failed', {}, { faults: [fault] });
};
