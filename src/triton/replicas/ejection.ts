/** How long a failed server gets no work: longer each time, so that one that keeps failing costs ever fewer requests. */
const leastMs = 1_000;
const mostMs = 10_000;
/** After this time without a failure the next one counts as the first again. */
const forgottenMs = 60_000;

export type Ejection = {
  /** Whether this failure begins an ejection; false for one that falls into the ejection of another. */
  failed(nowMs: number): boolean;
  /** The end of the ejection; null when there is none. */
  until(nowMs: number): number | null;
};

/** random: from 0 to 1. It spreads the returns, so that several clients do not all come back at the same moment. */
export const openEjection = (random: () => number = Math.random): Ejection => {
  let times = 0;
  let endsMs = Number.NEGATIVE_INFINITY;
  return {
    failed: (nowMs) => {
      if (nowMs < endsMs) return false;
      times = nowMs - endsMs > forgottenMs ? 1 : times + 1;
      const lengthMs = Math.min(mostMs, leastMs * 2 ** (times - 1));
      endsMs = nowMs + lengthMs * (0.75 + random() / 2);
      return true;
    },
    until: (nowMs) => (nowMs < endsMs ? endsMs : null),
  };
};
