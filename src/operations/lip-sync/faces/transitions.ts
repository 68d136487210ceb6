/** Dissolves and wipes between two shots, found in small copies of a clip's pictures: pure. */
import type { YuvPicture } from '../../../frame.ts';

/** Width and height of a small copy. */
const COLUMNS = 32;
const ROWS = 18;
/** Pixels in a row, and rows, that are read for each pixel of it at most. */
const SAMPLES = 4;
/** Small copies are taken about so often: of a clip with more frames a second, of every second or third frame. */
const RATE = 25;
/** Small copies from the first to the last of a window, all of which must be mixed of these two. */
const WINDOWS = [7, 9, 12, 16, 21, 28, 37, 50, 60];
/** Mean difference, in codes of luma, of the two: two people before one wall differ by 6 and more. */
const DIFFERENT = 6;
/** Shares of the second at which a copy counts as mixed of both, and how many such copies a window has at least. */
const MIXED = [0.1, 0.9] as const;
const FEWEST = 4;
/** Copies to each side over which a transition goes on steadily, and the least of its mean speed that it does so with. */
const NEAR = 2;
const STEADY = 0.3;
/** Shares of the second that a window's copies have; what moves only comes near to a mix. */
const SHARES = [-0.1, 1.1] as const;
/**
 * What a dissolve, and a wipe, leaves at most of the distance of the two: of dissolves between 30 people, in which the shots
 * go on, .03 to .11, of wipes .06 to .22; of people who talk, turn and are filmed by hand at least .16 and .26.
 */
const LEFT_OF_DISSOLVE = 0.13;
const LEFT_OF_WIPE = 0.22;

/** The shot of each picture, counted by dissolves and wipes alone; null where two shots are mixed. */
export type Shots = readonly (number | null)[];

type Transitions = {
  /** Takes the next picture of the clip. */
  readonly add: (picture: YuvPicture) => void;
  /** The shots of the first pictures, which later pictures cannot change. */
  readonly decided: () => Shots;
  /** The shots of all pictures, after the last. */
  readonly end: () => Shots;
};

export const findTransitions = (fps: number): Transitions => {
  const every = Math.max(1, Math.round(fps / RATE));
  const longest = Math.max(...WINDOWS);
  const copies: Float32Array[] = [];
  const mixed = new Set<number>();
  const shots: (number | null)[] = [];
  let [pictures, shot] = [0, 0];
  const decide = (count: number): Shots => {
    for (let at = shots.length; at < count; at += 1) {
      const isMixed = mixed.has(Math.floor(at / every)) || mixed.has(Math.ceil(at / every));
      if (!isMixed && shots.at(-1) === null) shot += 1;
      shots.push(isMixed ? null : shot);
    }
    return shots;
  };
  return {
    add: (picture) => {
      if (pictures % every === 0) {
        copies.push(smallCopy(picture));
        if (copies.length > longest + 1) copies.shift();
        const newest = pictures / every;
        for (const length of WINDOWS.filter((one) => one < copies.length))
          for (const at of mixedIn(copies.slice(-length - 1))) mixed.add(newest - length + at);
      }
      pictures += 1;
    },
    decided: () => decide(pictures - (longest + 1) * every),
    end: () => decide(pictures),
  };
};

/** The copies between the first and the last that are mixed of these two; none where one of them is not. */
const mixedIn = (copies: readonly Float32Array[]): number[] => {
  const first = copies[0] ?? new Float32Array();
  const last = copies.at(-1) ?? first;
  if (distance(first, last) < DIFFERENT * first.length) return [];
  const square = product(first, last, last);
  const [shares, found]: [number[], number[]] = [[], []];
  let [isDissolve, isWipe] = [true, true];
  for (const [at, copy] of copies.entries()) {
    const share = product(first, last, copy) / square;
    if (share < SHARES[0] || share > SHARES[1]) return [];
    shares.push(share);
    if (share < MIXED[0] || share > MIXED[1]) continue;
    found.push(at);
    isDissolve &&= leftOfDissolve(first, last, copy, share) < LEFT_OF_DISSOLVE ** 2 * square;
    isWipe &&= leftOfWipe(first, last, copy) < LEFT_OF_WIPE ** 2 * square;
    if (!isDissolve && !isWipe) return [];
  }
  return found.length >= FEWEST && areSteady(shares, found) ? found : [];
};

/** Whether the share of the second rises on around each of these copies. */
const areSteady = (shares: readonly number[], found: readonly number[]): boolean => {
  const least = (STEADY * (MIXED[1] - MIXED[0])) / found.length;
  return found.every((at) => {
    const [from, to] = [Math.max(0, at - NEAR), Math.min(shares.length - 1, at + NEAR)];
    return (shares[to] ?? 1) - (shares[from] ?? 0) >= least * (to - from);
  });
};

// Of small copies, summed over their pixels: for each picture up to nine times, so they are plain loops that allocate nothing.

const distance = (first: Float32Array, last: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < first.length; i += 1) sum += Math.abs((last[i] ?? 0) - (first[i] ?? 0));
  return sum;
};

/** How far a copy has gone from the first towards the last, times the square of their distance. */
const product = (first: Float32Array, last: Float32Array, copy: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < first.length; i += 1) {
    const start = first[i] ?? 0;
    sum += ((copy[i] ?? 0) - start) * ((last[i] ?? 0) - start);
  }
  return sum;
};

/** The square of what tells a copy from the mix of both with that share of the last. */
const leftOfDissolve = (
  first: Float32Array,
  last: Float32Array,
  copy: Float32Array,
  share: number,
): number => {
  let sum = 0;
  for (let i = 0; i < first.length; i += 1) {
    const start = first[i] ?? 0;
    sum += ((copy[i] ?? 0) - start - share * ((last[i] ?? 0) - start)) ** 2;
  }
  return sum;
};

/** The square of what tells each pixel of a copy from that of the first or the last, whichever is nearer. */
const leftOfWipe = (first: Float32Array, last: Float32Array, copy: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < first.length; i += 1) {
    const value = copy[i] ?? 0;
    sum += Math.min((value - (first[i] ?? 0)) ** 2, (value - (last[i] ?? 0)) ** 2);
  }
  return sum;
};

/** Luma, COLUMNS x ROWS: means of a part of the pixels. Plain loops: for each picture they read 9,216 pixels. */
const smallCopy = ({ width, height, pixels }: YuvPicture): Float32Array => {
  const copy = new Float32Array(COLUMNS * ROWS);
  const [columns, rows] = [sampled(COLUMNS, width), sampled(ROWS, height)];
  const [across, down] = [columns.length / COLUMNS, rows.length / ROWS];
  for (let cell = 0; cell < copy.length; cell += 1) {
    const [left, top] = [(cell % COLUMNS) * across, Math.floor(cell / COLUMNS) * down];
    let sum = 0;
    for (let j = top; j < top + down; j += 1) {
      const line = (rows[j] ?? 0) * width;
      for (let i = left; i < left + across; i += 1) sum += pixels[line + (columns[i] ?? 0)] ?? 0;
    }
    copy[cell] = sum / (across * down);
  }
  return copy;
};

/** The places along a side of `length` pixels at which its `cells` cells are read, as many in each. */
const sampled = (cells: number, length: number): Int32Array => {
  const count = Math.max(1, Math.min(SAMPLES, Math.floor(length / cells)));
  return Int32Array.from({ length: cells * count }, (_, at) =>
    Math.floor(((at + 0.5) * length) / (cells * count)),
  );
};
