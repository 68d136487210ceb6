/**
 * How strong the noise of a video is: by what is new in each frame where frames are calmest. Noise is new in every frame, and
 * alike all over it; what moves is neither. docs/decisions/0128. Pure.
 */
import type { YuvPicture } from '../../frame.ts';

/** Pixels: the side of the squares that are looked at. */
const SIDE = 8;
/** Most squares of a frame that are looked at, spread over it: as many as 640x400 has. */
const MOST_SQUARES = 4000;
/** Of fewer, chance decides: 128x80. */
const LEAST_SQUARES = 160;
/** Mean codes of luma between which noise is not cut off by black and white. */
const [DARKEST, BRIGHTEST] = [24, 232];
/** One of so many is calm: those with the least in them. */
const CALM = 4;
/** Levels of 255, of luma. Less is what good cameras have, more is rain or snow. */
const [WEAKEST, STRONGEST] = [2, 25];
/** Half of what two thirds of the calm squares differ by, in parts of what is usual. Noise has .08 to .45. */
const LARGEST_SPREAD = 0.5;
/** Of two successive changes. Changes of what is new in each frame have -.5, behind H.264 -.3; what moves has -.2 to 1. */
const LARGEST_CORRELATION = -0.28;

/** Three successive frames. */
export type Moment = readonly [YuvPicture, YuvPicture, YuvPicture];

/** Variances of luma: within the middle frame, and of the changes to and from it, with their covariance. */
type Square = { readonly texture: number; readonly change: number; readonly product: number };
type Look = { readonly noise: number; readonly spread: number; readonly correlation: number };

/** The standard deviation of noise in levels of luma, from 2 to 25; 0 where none is found. */
export const noiseOf = (moments: readonly Moment[]): number => {
  const looks = moments.flatMap((moment) => lookAt(moment) ?? []);
  if (looks.length === 0) return 0;
  const usual = (key: keyof Look) => quantile(looks.map((look) => look[key]), 0.5);
  const noise = usual('noise');
  const isNoise =
    usual('spread') <= LARGEST_SPREAD && usual('correlation') <= LARGEST_CORRELATION;
  return isNoise && noise >= WEAKEST && noise <= STRONGEST ? noise : 0;
};

const lookAt = (moment: Moment): Look | null => {
  const squares = squaresOf(moment);
  if (squares.length < LEAST_SQUARES) return null;
  squares.sort((one, other) => one.texture - other.texture);
  const calm = squares.slice(0, Math.floor(squares.length / CALM));
  const changes = calm.map(({ change }) => Math.sqrt(change));
  const [low, usual, high] = [0.16, 0.5, 0.84].map((part) => quantile(changes, part));
  const sum = (key: keyof Square) => calm.reduce((all, square) => all + square[key], 0);
  if (!low || !usual || !high) return { noise: 0, spread: 1, correlation: 0 };
  return {
    // The change from frame to frame has the noise of both.
    noise: usual / Math.SQRT2,
    spread: (high - low) / 2 / usual,
    correlation: sum('product') / sum('change'),
  };
};

const squaresOf = ([one, two, three]: Moment): Square[] => {
  const { width, height } = two;
  const [columns, rows] = [Math.floor(width / SIDE), Math.floor(height / SIDE)];
  const step = Math.max(1, Math.ceil(Math.sqrt((columns * rows) / MOST_SQUARES)));
  const squares: Square[] = [];
  for (let row = 0; row < rows; row += step)
    for (let column = 0; column < columns; column += step) {
      const at = row * SIDE * width + column * SIDE;
      const square = squareOf(one.pixels, two.pixels, three.pixels, { at, width });
      if (square) squares.push(square);
    }
  return squares;
};

/** Null where black or white would cut noise off. */
const squareOf = (
  one: Buffer,
  two: Buffer,
  three: Buffer,
  { at, width }: { readonly at: number; readonly width: number },
): Square | null => {
  let [sum, squared, first, second] = [0, 0, 0, 0];
  let [firstSquared, secondSquared, multiplied] = [0, 0, 0];
  for (let y = 0; y < SIDE; y += 1)
    for (let i = at + y * width; i < at + y * width + SIDE; i += 1) {
      const value = two[i] ?? 0;
      const [before, after] = [value - (one[i] ?? 0), (three[i] ?? 0) - value];
      sum += value;
      squared += value * value;
      first += before;
      second += after;
      firstSquared += before * before;
      secondSquared += after * after;
      multiplied += before * after;
    }
  const count = SIDE * SIDE;
  const mean = sum / count;
  if (mean < DARKEST || mean > BRIGHTEST) return null;
  const changes = firstSquared + secondSquared - (first * first + second * second) / count;
  return {
    texture: squared / count - mean * mean,
    change: changes / (2 * count),
    product: (multiplied - (first * second) / count) / count,
  };
};

const quantile = (values: readonly number[], part: number): number =>
  [...values].sort((one, other) => one - other)[Math.floor(part * (values.length - 1))] ?? 0;
