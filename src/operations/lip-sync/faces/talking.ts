/** Who talks, by the motion of the lips and the clip's own sound: pure. */
import type { Heard } from '../../../triton/clients/speech.ts';
import { correlation, jawOf, type Opening } from './lips.ts';

/** Seconds by which the lips may be later than the sound: -0.3 to 0.3, in steps of 0.04. */
const LAGS = Array.from({ length: 16 }, (_, i) => (i - 7.5) * 0.04);
/** Between openings that are farther apart in time, in seconds, the face was lost: no speed is taken there. */
const LONGEST_STEP = 0.25;
/** Seconds over which the magnitude of the speed is averaged. */
const WINDOW = 0.3;
/** Mean speeds of lips, in eye distances a second: up to STILL the talk score is 0, from LIVELY on it counts in full. */
const STILL = 0.05;
const LIVELY = 0.15;

/** Mean speed at which the gap between the lips changes, in eye distances a second. */
export const lipSpeed = (openings: readonly Opening[]): number => {
  const speeds = speedsOf(openings);
  return speeds.reduce((sum, speed) => sum + Math.abs(speed), 0) / Math.max(1, speeds.length);
};

/**
 * How well lips match what is heard, 0..3: the sum of the correlations of three signals (see `comparedSignals`) with those
 * of the heard jaw, at the lag with the highest sum, times a weight of 0..1 for how much the lips move.
 */
export const talkScore = (openings: readonly Opening[], heard: Heard): number => {
  const weight = Math.min(1, Math.max(0, (lipSpeed(openings) - STILL) / (LIVELY - STILL)));
  if (weight === 0) return 0;
  const jaw = jawOf(heard);
  const seen = comparedSignals(openings);
  const sumAt = (lag: number) => {
    const sounding = comparedSignals(
      openings.map(({ seconds }) => ({ seconds, opening: jaw(seconds - lag) })),
    );
    return seen.reduce((sum, signal, i) => sum + (correlation(signal, sounding[i] ?? []) || 0), 0);
  };
  return Math.max(0, ...LAGS.map(sumAt)) * weight;
};

/** The opening, its speed, and the mean magnitude of the speed over WINDOW seconds. */
const comparedSignals = (openings: readonly Opening[]): number[][] => {
  const speeds = speedsOf(openings);
  return [openings.map(({ opening }) => opening), speeds, meanMagnitudes(openings, speeds)];
};

const speedsOf = (openings: readonly Opening[]): number[] =>
  openings.map(({ seconds, opening }, i) => {
    const before = openings[i - 1];
    const step = before ? seconds - before.seconds : Number.POSITIVE_INFINITY;
    return before && step > 0 && step < LONGEST_STEP ? (opening - before.opening) / step : 0;
  });

/** The mean magnitude of the values in the window around each. */
const meanMagnitudes = (openings: readonly Opening[], values: readonly number[]): number[] => {
  let [from, to, sum] = [0, 0, 0];
  return openings.map(({ seconds }) => {
    for (; (openings[to]?.seconds ?? Number.POSITIVE_INFINITY) <= seconds + WINDOW / 2; to += 1)
      sum += Math.abs(values[to] ?? 0);
    for (; (openings[from]?.seconds ?? seconds) < seconds - WINDOW / 2; from += 1)
      sum -= Math.abs(values[from] ?? 0);
    return sum / (to - from);
  });
};
