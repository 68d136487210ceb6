/** How lips move, and how that goes with a sound: pure. */
import { type Heard, STEP_SECONDS } from '../../../triton/clients/speech.ts';

const CURVES = 6;

/** The gap between the lips at a time, in distances of the outer eye corners. */
export type Opening = { readonly seconds: number; readonly opening: number };

export const openingOf = (mesh: Float32Array): number => apart(mesh, 13, 14) / eyesOf(mesh);

const eyesOf = (mesh: Float32Array): number => apart(mesh, 33, 263);

const apart = (mesh: Float32Array, a: number, b: number): number =>
  Math.hypot(...[0, 1, 2].map((axis) => (mesh[a * 3 + axis] ?? 0) - (mesh[b * 3 + axis] ?? 0)));

/** The mouth shape on the way from that of a face to the one asked for, of which it has such a share. */
export const between = (mesh: Float32Array, asked: Float32Array, share: number): Float32Array => {
  const own = [openingOf(mesh), apart(mesh, 61, 291) / eyesOf(mesh)];
  return asked.map((value, column) => share * value + (1 - share) * (own[column] ?? 0));
};

/** The correlation of lips with the jaw that is heard so much earlier; NaN when one of the two never moves. */
export const going = (openings: readonly Opening[], heard: Heard, lagMs: number): number => {
  const jaw = jawOf(heard);
  return correlation(
    openings.map(({ opening }) => opening),
    openings.map(({ seconds }) => jaw(seconds - lagMs / 1000)),
  );
};

/** How far the jaw is open at a time, by what is heard. */
export const jawOf = ({ curves }: Heard): ((seconds: number) => number) => {
  const value = (step: number) => curves[step * CURVES] ?? 0;
  return (seconds) => {
    const at = seconds / STEP_SECONDS - 0.5;
    const before = Math.floor(at);
    return value(before) + (at - before) * (value(before + 1) - value(before));
  };
};

/** Pearson's; NaN when one of the two never changes. */
export const correlation = (a: readonly number[], b: readonly number[]): number => {
  const mean = (values: readonly number[]) => values.reduce((x, y) => x + y, 0) / values.length;
  const [middleA, middleB] = [mean(a), mean(b)];
  let [common, powerA, powerB] = [0, 0, 0];
  for (const [i, value] of a.entries()) {
    const [x, y] = [value - middleA, (b[i] ?? 0) - middleB];
    common += x * y;
    powerA += x * x;
    powerB += y * y;
  }
  const power = powerA * powerB;
  return power > 1e-18 ? common / Math.sqrt(power) : Number.NaN;
};

/** With less speech than this there is nothing to go by. */
const LEAST_SPEECH_SECONDS = 0.5;

export const isSpoken = ({ activity }: Heard): boolean =>
  activity.reduce((sum, active) => sum + active, 0) * STEP_SECONDS >= LEAST_SPEECH_SECONDS;
