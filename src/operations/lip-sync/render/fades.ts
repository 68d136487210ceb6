/** Over how many frames the new mouth fades out before, and in after, a frame without the face. */
const FADE_FRAMES = 5;

/** How much of the new mouth each frame shows, 0..1: it falls linearly towards a frame without the face. */
export const fades = (seen: readonly boolean[]): number[] => {
  const framesSinceLost = (order: readonly boolean[]): number[] => {
    let since = Number.POSITIVE_INFINITY;
    return order.map((isSeen) => {
      since = isSeen ? since + 1 : 0;
      return since;
    });
  };
  const [after, before] = [framesSinceLost(seen), framesSinceLost(seen.toReversed()).toReversed()];
  const share = (frames = 0) => frames / (FADE_FRAMES + 1);
  return seen.map((_, i) => Math.min(1, share(after[i]), share(before[i])));
};
