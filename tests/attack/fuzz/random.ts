/** Choices that a seed repeats exactly: mulberry32, whose whole state is one number of 32 bits. */
export type Random = ReturnType<typeof randomOf>;

export const randomOf = (seed: number) => {
  let state = seed >>> 0;
  /** 0 <= value < 1 */
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  const pick = <T>(from: readonly T[]): T => {
    for (const value of from.slice(below(from.length))) return value;
    throw new Error('nothing to pick from');
  };
  return {
    below,
    /** Both ends included. */
    between: (least: number, most: number): number => least + below(most - least + 1),
    chance: (share: number): boolean => next() < share,
    pick,
    /** Mostly small, now and then up to `most`: sizes whose logarithm is spread evenly. */
    size: (most: number): number => Math.floor(most ** next()),
    bytes: (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => below(256))),
  };
};

/** The random numbers of one input depend on nothing but the seed and its place. */
export const randomAt = (seed: number, index: number): Random =>
  randomOf(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35));
