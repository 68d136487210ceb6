/** Which areas of a frame are computed where the rest is as in the frame before. Pure. */
import type { Size } from '../../frame.ts';
import { type AnyPicture, type Area, comparing } from './area.ts';

/** Pixels: frames are compared in squares of this side. */
const CELL = 32;
/** What a call costs besides its pixels, in pixels. */
const CALL_PIXELS = 8192;
/** Small pictures take longer for each of their pixels than large ones. */
const SMALL_COSTS = 1.15;

/**
 * Areas with every pixel that is not as in the frame before, and every pixel that looks at such a one, which lies at most
 * `reach` pixels away; null where computing them takes as long as the whole frame does.
 */
export const changesOf = (before: AnyPicture, after: AnyPicture, reach: number): Area[] | null => {
  const cost = ({ width, height }: Size) =>
    CALL_PIXELS + SMALL_COSTS * (width + 4 * reach) * (height + 4 * reach);
  const runs = changedRuns(before, after);
  const whole = after.width * after.height;
  if (runs.reduce((sum, { width, height }) => sum + width * height, 0) >= whole) return null;
  const areas = joined(runs, cost);
  if (areas.reduce((sum, area) => sum + cost(area), 0) >= whole) return null;
  return areas.map((area) => grown(area, reach, after));
};

/** The area and what lies at most `by` pixels away from it, in a picture of this size. */
export const grown = (area: Area, by: number, { width, height }: Size): Area => {
  const x = Math.max(0, area.x - by);
  const y = Math.max(0, area.y - by);
  return {
    x,
    y,
    width: Math.min(width, area.x + area.width + by) - x,
    height: Math.min(height, area.y + area.height + by) - y,
  };
};

/** Changed cells, those that follow each other in a line as one area. */
const changedRuns = (before: AnyPicture, after: AnyPicture): Area[] => {
  const runs: Area[] = [];
  const isSame = comparing(before, after);
  for (let y = 0; y < after.height; y += CELL) {
    const height = Math.min(CELL, after.height - y);
    if (isSame({ x: 0, y, width: after.width, height })) continue;
    let run: Area | null = null;
    for (let x = 0; x < after.width; x += CELL) {
      const width = Math.min(CELL, after.width - x);
      if (!isSame({ x, y, width, height })) {
        run = run ? union(run, { x, y, width, height }) : { x, y, width, height };
      } else if (run) {
        runs.push(run);
        run = null;
      }
    }
    if (run) runs.push(run);
  }
  return runs;
};

/** Areas that cover the given ones, two of them as one where that costs no more. */
const joined = (areas: readonly Area[], cost: (area: Area) => number): Area[] => {
  const result: Area[] = [];
  for (let area of areas) {
    for (let i = 0; i < result.length; i += 1) {
      const other = result[i];
      if (!other) continue;
      const both = union(area, other);
      if (cost(both) > cost(area) + cost(other)) continue;
      result.splice(i, 1);
      area = both;
      i = -1;
    }
    result.push(area);
  }
  return result;
};

const union = (one: Area, other: Area): Area => {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
  return {
    x,
    y,
    width: Math.max(one.x + one.width, other.x + other.width) - x,
    height: Math.max(one.y + one.height, other.y + other.height) - y,
  };
};
