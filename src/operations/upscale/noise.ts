/**
 * How strong the noise of a video is: by what is new in each frame where frames are calmest. Noise is new in every frame, and
 * alike wherever it is as light; what moves is neither. docs/decisions/0128, 0248, 0300. Pure.
 */
import type { YuvPicture } from '../../frame.ts';
import { shareLeft } from './shaken.ts';

/** Pixels: the side of the squares that are looked at. */
const SIDE = 8;
/** Most squares of a frame that are looked at, spread over it: as many as 640x400 has. */
const MOST_SQUARES = 4000;
/** The least number of squares, that of 128x80: fewer give a result by chance. */
const LEAST_SQUARES = 160;
/** Mean codes of luma between which noise is not cut off by black and white. */
const [DARKEST, BRIGHTEST] = [24, 232];
/** The first of them where fewer than LEAST_SQUARES are as light: just above black, which cuts off a part of the noise. */
const DARKEST_OF_NIGHT = 17;
/** One square in this many counts as calm: those with the least texture. */
const CALM = 4;
/** Standard deviation of luma, in levels of 255. Less is what good cameras have, more is rain or snow. */
const [WEAKEST, STRONGEST] = [2, 25];
/** The first of them where the mean code of calm squares is below DIM: there it is seen. The filters take no less than 1.11. */
const [WEAKEST_OF_DIM, DIM] = [1.25, 64];
/**
 * Spread of the changes of calm squares, each in parts of the median at its brightness: half of what two thirds of them differ
 * by. Noise has .05 to .25.
 */
const LARGEST_SPREAD = 0.25;
/** Parts of alike brightness: in the dark, noise of a sensor differs by brightness. */
const SHADES = 6;
/** Correlation of two successive changes: -.5 where all is new in each frame, -.33 after H.264, -.33 to 1 where things move. */
const LARGEST_CORRELATION = -0.33;
/**
 * Of the variance of a change, what moving the frames leaves where the camera shakes; noise has .93 to 1. Where it leaves less
 * than the first, what is left is texture between pixels as well as noise, and cannot be told from it.
 */
const [UNTOLD, SHAKEN] = [0.2, 0.8];

/** Three successive frames. */
export type Moment = readonly [YuvPicture, YuvPicture, YuvPicture];

/** Standard deviations in levels of 255: of luma, and of both planes of chroma. */
export type Noise = { readonly luma: number; readonly chroma: number };

/**
 * Mean luma of the middle frame. Variances: of luma within it, and of the changes to and from it, of luma with their covariance,
 * and of chroma.
 */
type Square = {
  readonly mean: number;
  readonly texture: number;
  readonly change: number;
  readonly product: number;
  readonly colour: number;
};
type Look = Noise & {
  readonly spread: number;
  readonly correlation: number;
  /** The mean code of luma. */
  readonly brightness: number;
  readonly moment: Moment;
  /** The mean code of the darkest squares that were looked at. */
  readonly darkest: number;
};

/** Where nothing changes. */
const STILL = { luma: 0, chroma: 0, spread: 1, correlation: 0 };

/** What is seen where frames are calmest, at each of these moments that tells. */
export const looksAt = (moments: readonly Moment[]): Look[] =>
  moments.flatMap((moment) => lookAt(moment) ?? []);

/** How much changes from frame to frame, in levels of luma, noise or not; null where nothing tells. */
export const changeOf = (looks: readonly Look[]): number | null =>
  looks.length === 0 ? null : usual(looks, 'luma');

/** Null where none is found. */
export const noiseOf = (looks: readonly Look[]): Noise | null => {
  if (looks.length === 0) return null;
  const [luma, chroma] = [usual(looks, 'luma'), usual(looks, 'chroma')];
  const isNoise =
    usual(looks, 'spread') <= LARGEST_SPREAD && usual(looks, 'correlation') <= LARGEST_CORRELATION;
  const weakest = usual(looks, 'brightness') < DIM ? WEAKEST_OF_DIM : WEAKEST;
  if (!isNoise || luma < weakest || luma > STRONGEST) return null;
  const shares = looks.flatMap(({ moment: [one, two, three], darkest }) => [
    shareLeft(one, two, darkest),
    shareLeft(two, three, darkest),
  ]);
  if (quantile(shares, 0.25) < UNTOLD) return null;
  const left = quantile(shares, 0.5);
  const part = left < SHAKEN ? Math.sqrt(left) : 1;
  return part * luma < weakest ? null : { luma: part * luma, chroma: part * chroma };
};

const usual = (looks: readonly Look[], key: Exclude<keyof Look, 'moment' | 'darkest'>): number =>
  quantile(
    looks.map((look) => look[key]),
    0.5,
  );

const lookAt = (moment: Moment): Look | null => {
  const all = squaresOf(moment);
  const light = all.filter(({ mean }) => mean >= DARKEST);
  const isLight = light.length >= LEAST_SQUARES;
  const [squares, darkest] = isLight ? [light, DARKEST] : [all, DARKEST_OF_NIGHT];
  if (squares.length < LEAST_SQUARES) return null;
  squares.sort((one, other) => one.texture - other.texture);
  const calm = squares.slice(0, Math.floor(squares.length / CALM));
  const sum = (key: keyof Square) => calm.reduce((all, square) => all + square[key], 0);
  const seen = { moment, darkest, brightness: sum('mean') / calm.length };
  const changes = calm.map(changed);
  const colours = calm.map(({ colour }) => Math.sqrt(colour / 2));
  if (!quantile(changes, 0.16)) return { ...STILL, ...seen };
  return {
    luma: quantile(changes, 0.5),
    chroma: quantile(colours, 0.5),
    spread: spreadOf(calm),
    correlation: sum('product') / sum('change'),
    ...seen,
  };
};

/** The change from frame to frame has the noise of both. */
const changed = ({ change }: Square): number => Math.sqrt(change / 2);

/** 1 where most of one brightness does not change. */
const spreadOf = (calm: readonly Square[]): number => {
  const ordered = [...calm].sort((one, other) => one.mean - other.mean);
  const parts: number[] = [];
  for (let shade = 0; shade < SHADES; shade += 1) {
    const [from, to] = [shade, shade + 1].map((at) => Math.floor((at * ordered.length) / SHADES));
    const changes = ordered.slice(from, to).map(changed);
    const middle = quantile(changes, 0.5);
    if (!middle) return 1;
    parts.push(...changes.map((change) => change / middle));
  }
  return (quantile(parts, 0.84) - quantile(parts, 0.16)) / 2;
};

const squaresOf = (moment: Moment): Square[] => {
  const [{ width, height }] = moment;
  const [columns, rows] = [Math.floor(width / SIDE), Math.floor(height / SIDE)];
  const step = Math.max(1, Math.ceil(Math.sqrt((columns * rows) / MOST_SQUARES)));
  const planes = planesOf(moment[0]);
  const squares: Square[] = [];
  for (let row = 0; row < rows; row += step)
    for (let column = 0; column < columns; column += step) {
      const [luma, ...chroma] = planes.map(({ start, stride, side }) => {
        const at = start + side * (row * stride + column);
        return changesIn(moment, { at, stride, side });
      });
      // Black and white would cut noise off.
      if (!luma || luma.mean < DARKEST_OF_NIGHT || luma.mean > BRIGHTEST) continue;
      const colour = chroma.reduce((sum, { change }) => sum + change / chroma.length, 0);
      squares.push({ ...luma, colour });
    }
  return squares;
};

/** Where the planes begin in the pixels, how long their lines are, and the side of a square in them. */
const planesOf = ({ width, height }: YuvPicture) => {
  const [half, lines] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  const [cb, side] = [width * height, SIDE / 2];
  return [
    { start: 0, stride: width, side: SIDE },
    { start: cb, stride: half, side },
    { start: cb + half * lines, stride: half, side },
  ];
};

const changesIn = (
  [{ pixels: one }, { pixels: two }, { pixels: three }]: Moment,
  { at, stride, side }: { readonly at: number; readonly stride: number; readonly side: number },
) => {
  let [sum, squared, first, second] = [0, 0, 0, 0];
  let [changed, multiplied] = [0, 0];
  for (let y = 0; y < side; y += 1)
    for (let i = at + y * stride; i < at + y * stride + side; i += 1) {
      const value = two[i] ?? 0;
      const [before, after] = [value - (one[i] ?? 0), (three[i] ?? 0) - value];
      sum += value;
      squared += value * value;
      first += before;
      second += after;
      changed += before * before + after * after;
      multiplied += before * after;
    }
  const count = side * side;
  const mean = sum / count;
  return {
    mean,
    texture: squared / count - mean * mean,
    change: (changed - (first * first + second * second) / count) / (2 * count),
    product: (multiplied - (first * second) / count) / count,
  };
};

const quantile = (values: readonly number[], part: number): number =>
  [...values].sort((one, other) => one - other)[Math.floor(part * (values.length - 1))] ?? 0;
