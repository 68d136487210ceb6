/** How much of what changes between frames is a camera that shakes: texture that moves is no noise. docs/decisions/0248. Pure. */
import type { YuvPicture } from '../../frame.ts';

/** Pixels: the side of the squares that are compared. */
const SIDE = 16;
/** Pixels: how far a frame is moved, in both directions. */
const FARTHEST = 6;
/** Dots that crawl (composite video) leave less than this share of the change when moved by a pixel to any side. */
const DOTS = 0.9;
/** About how many squares of a frame are looked at, spread over it. One in CALM, the calmest, counts. */
const ENOUGH_SQUARES = 400;
const CALM = 4;
/** The mean code of luma from which white cuts noise off. */
const BRIGHTEST = 232;

type Compared = { readonly sum: number; readonly squared: number };

/**
 * The part of the change between two frames of one size (variance of luma within calm squares) that is left when the second is
 * moved by whole pixels so that as much as possible fits the first, 0 to 1. Of noise all is left.
 *
 * The dots that crawl in composite video turn from light to dark in each frame, and fit when moved to any side. So where each
 * shift by one pixel fits better than none, nothing was moved, and elsewhere a shift whose opposite fits about as well does not
 * count. Squares with a mean code below `darkest` are not looked at.
 */
export const shareLeft = (one: YuvPicture, other: YuvPicture, darkest: number): number => {
  const squares = calmSquares(one, darkest);
  const leftBy = (shift: number) =>
    squares.reduce((total, at) => total + variance(changes(one, other, at, shift)), 0);
  const start = leftBy(0);
  const { width } = one;
  const areDots = [-1, 1, -width, width].every((shift) => leftBy(shift) < DOTS * start);
  if (!start || areDots) return 1;
  const moved = shifts(width).map(leftBy);
  const isOneWay = (left: number, at: number) => (moved.at(-1 - at) ?? 0) > (left + start) / 2;
  return Math.min(start, ...moved.filter(isOneWay)) / start;
};

/** Where they begin among the codes of luma, all at least FARTHEST from each edge. */
const calmSquares = (picture: YuvPicture, darkest: number): number[] => {
  const { width, height } = picture;
  const step =
    SIDE * Math.max(1, Math.ceil(Math.sqrt((width * height) / SIDE ** 2 / ENOUGH_SQUARES)));
  const squares: { at: number; texture: number }[] = [];
  for (let y = FARTHEST; y + SIDE + FARTHEST <= height; y += step)
    for (let x = FARTHEST; x + SIDE + FARTHEST <= width; x += step) {
      const at = y * width + x;
      const codes = changes(picture, null, at, 0);
      const mean = codes.sum / SIDE ** 2;
      if (mean >= darkest && mean <= BRIGHTEST) squares.push({ at, texture: variance(codes) });
    }
  squares.sort((a, b) => a.texture - b.texture);
  return squares.slice(0, Math.floor(squares.length / CALM)).map(({ at }) => at);
};

/** The shifts as offsets into luma; the opposite of each lies as far from the end as it does from the beginning. */
const shifts = (width: number): number[] => {
  const steps = Array.from({ length: 2 * FARTHEST + 1 }, (_, at) => at - FARTHEST);
  return steps.flatMap((down) => steps.map((across) => down * width + across));
};

const changes = (
  one: YuvPicture,
  other: YuvPicture | null,
  at: number,
  shift: number,
): Compared => {
  let [sum, squared] = [0, 0];
  for (let row = at; row < at + SIDE * one.width; row += one.width)
    for (let i = row; i < row + SIDE; i += 1) {
      const change = (one.pixels[i] ?? 0) - (other?.pixels[i + shift] ?? 0);
      sum += change;
      squared += change * change;
    }
  return { sum, squared };
};

const variance = ({ sum, squared }: Compared): number => squared - sum ** 2 / SIDE ** 2;
