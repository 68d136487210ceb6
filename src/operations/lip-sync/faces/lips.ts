/** How far lips are open, and how that correlates with a sound: pure. */
import type { Size } from '../../../frame.ts';
import { SHAPE } from '../../../triton/clients/mouth-plan.ts';
import { CURVES, type Heard, STEP_SECONDS } from '../../../triton/clients/speech.ts';

/** Points of the mesh, in MediaPipe's order: middle of the inner lips, corners of the mouth, outer corners of the eyes; round the lips. */
const INNER_LIPS = [13, 14] as const;
export const MOUTH_CORNERS = [61, 291] as const;
export const EYE_CORNERS = [33, 263] as const;

const OUTER_LIPS = [
  61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 409, 270, 269, 267, 0, 37, 39, 40, 185,
] as const;

/** The gap between the inner lips at a time, as a share of the distance between the outer eye corners. */
export type Opening = { readonly seconds: number; readonly opening: number };

/** In distances of the outer eye corners, as `Opening` has it. */
export const openingOf = (mesh: Float32Array): number =>
  distance(mesh, INNER_LIPS) / distance(mesh, EYE_CORNERS);

/** From the lips to the nearest border of a picture of this size, below 0 beyond it, as a share of the same distance. */
export const lipsToBorder = (mesh: Float32Array, { width, height }: Size): number => {
  const gaps = OUTER_LIPS.flatMap((point) => {
    const [x, y] = [mesh[point * 3] ?? Number.NaN, mesh[point * 3 + 1] ?? Number.NaN];
    return [x, y, width - 1 - x, height - 1 - y];
  });
  return Math.min(...gaps) / distance(mesh, EYE_CORNERS);
};

const distance = (mesh: Float32Array, [a, b]: readonly [number, number]): number =>
  Math.hypot(...[0, 1, 2].map((axis) => (mesh[a * 3 + axis] ?? 0) - (mesh[b * 3 + axis] ?? 0)));

/**
 * Linear interpolation from the face's own mouth shape (share 0) to the target (share 1). Of the own shape opening and width
 * are measured on the mesh, the jaw is as open as the lips, the chin falls as the target's does, the other six numbers count as 0.
 */
export const interpolateShape = (
  mesh: Float32Array,
  target: Float32Array,
  share: number,
): Float32Array => {
  const opening = openingOf(mesh);
  const width = distance(mesh, MOUTH_CORNERS) / distance(mesh, EYE_CORNERS);
  const own = [opening, width, 0, 0, 0, 0, 0, 0, opening, target[SHAPE - 1]];
  return target.map((value, column) => share * value + (1 - share) * (own[column] ?? 0));
};

/**
 * Pearson's correlation of the opening of the lips with the heard jaw opening `lagMs` earlier; NaN when either is constant.
 */
export const lipSoundCorrelation = (
  openings: readonly Opening[],
  heard: Heard,
  lagMs: number,
): number => {
  const jaw = jawOf(heard);
  return correlation(
    openings.map(({ opening }) => opening),
    openings.map(({ seconds }) => jaw(seconds - lagMs / 1000)),
  );
};

/** The heard jaw opening at a time, interpolated between the middles of the steps. */
export const jawOf = ({ curves }: Heard): ((seconds: number) => number) => {
  const value = (step: number) => curves[step * CURVES] ?? 0;
  return (seconds) => {
    const at = seconds / STEP_SECONDS - 0.5;
    const before = Math.floor(at);
    return value(before) + (at - before) * (value(before + 1) - value(before));
  };
};

export const mean = (values: readonly number[]): number =>
  values.reduce((x, y) => x + y, 0) / values.length;

/** The standard deviation. */
export const deviation = (values: readonly number[]): number => {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
};

/** Pearson's; NaN when either series is constant. */
export const correlation = (a: readonly number[], b: readonly number[]): number => {
  const [meanA, meanB] = [mean(a), mean(b)];
  let [covariance, powerA, powerB] = [0, 0, 0];
  for (const [i, value] of a.entries()) {
    const [x, y] = [value - meanA, (b[i] ?? 0) - meanB];
    covariance += x * y;
    powerA += x * x;
    powerB += y * y;
  }
  const power = powerA * powerB;
  return power > 1e-18 ? covariance / Math.sqrt(power) : Number.NaN;
};

/** With less speech than this the sound counts as one without speech. */
const LEAST_SPEECH_SECONDS = 0.5;

/** Whether there is speech up to a time: what comes later is cut off. */
export const hasSpeech = (heard: Heard, until = Number.POSITIVE_INFINITY): boolean =>
  speechSeconds(heard, 0, until) >= LEAST_SPEECH_SECONDS;

/** Seconds of speech between two times. */
export const speechSeconds = ({ activity }: Heard, from: number, to: number): number =>
  STEP_SECONDS *
  activity
    .subarray(Math.max(0, Math.round(from / STEP_SECONDS)), Math.round(to / STEP_SECONDS))
    .reduce((sum, active) => sum + active, 0);
