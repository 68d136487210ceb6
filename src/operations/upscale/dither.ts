/** Dithering, by which pictures of few colours (GIF) imitate others: pixels of near colours in turn. docs/decisions/0221. Pure. */
import type { Picture } from '../../frame.ts';

/** The least share of pixels that lie between two of one colour and have another. Pictures without dithering have up to .06. */
const LEAST_SHARE = 0.08;
/** Levels of luma between the colours in turn. Less is hardly seen; more are patterns that somebody drew. */
const [LEAST, MOST] = [2, 20];
/** About how many pixels of a picture are looked at: all of 4K would hold up other jobs for .3 s. */
const ENOUGH_PIXELS = 500_000;

/** How far apart in luma (levels of 255) the colours are that dithering puts in turn; null where there is none. */
export const ditherOf = (pictures: readonly Picture[]): number | null => {
  const counts = new Uint32Array(256);
  let looked = 0;
  for (const picture of pictures) looked += countTurns(picture, counts);
  const turns = counts.reduce((sum, count) => sum + count, 0);
  if (turns < LEAST_SHARE * looked || turns === 0) return null;
  let levels = 0;
  for (let below = counts[0] ?? 0; below < turns / 2; below += counts[levels] ?? 0) levels += 1;
  return levels >= LEAST && levels <= MOST ? levels : null;
};

/**
 * Adds the pixels that lie between two of one colour and have another, by their difference in luma; how many pixels were looked
 * at, in whole rows.
 */
const countTurns = ({ width, height, channels, pixels }: Picture, counts: Uint32Array): number => {
  const at = (i: number) => pixels[i] ?? 0;
  const isSame = (i: number, j: number) =>
    at(i) === at(j) && at(i + 1) === at(j + 1) && at(i + 2) === at(j + 2);
  const luma = (i: number) => 0.299 * at(i) + 0.587 * at(i + 1) + 0.114 * at(i + 2);
  // Odd, as ordered dithering comes again after 2, 4 or 8 rows.
  const everyRow = Math.floor((width * height) / ENOUGH_PIXELS) | 1;
  let looked = 0;
  for (const [across, down] of [
    [1, 0],
    [0, 1],
  ] as const) {
    const step = channels * (across + down * width);
    for (let y = down; y < height - down; y += everyRow)
      for (let x = across; x < width - across; x += 1) {
        const i = channels * (y * width + x);
        looked += 1;
        if (!isSame(i - step, i + step) || isSame(i, i - step)) continue;
        const levels = Math.round(Math.abs(luma(i) - luma(i - step)));
        counts[levels] = (counts[levels] ?? 0) + 1;
      }
  }
  return looked;
};
