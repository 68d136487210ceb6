/** Over how many seconds the new mouth fades out before, and in after, a frame that keeps its own. */
export const FADE_SECONDS = 0.32;

export type FadingFrame = {
  /** Whether the face is seen in it, and nothing covers its mouth. */
  readonly seen: boolean;
  /** Whether another shot begins with it. Absent: no. */
  readonly cut?: boolean | undefined;
  /** In seconds. */
  readonly duration: number;
};

/** How much of the new mouth each frame shows, 0..1: it falls smoothly towards one of the same shot that is not seen. */
export const fades = (frames: readonly FadingFrame[]): number[] => {
  const secondsSinceLost = (order: readonly FadingFrame[]): number[] => {
    let since = Number.POSITIVE_INFINITY;
    return order.map(({ seen, cut, duration }) => {
      if (cut) since = Number.POSITIVE_INFINITY;
      since = seen ? since + duration : 0;
      return since;
    });
  };
  const after = secondsSinceLost(frames);
  // Backwards, another shot begins with the frame before a cut.
  const backwards = frames.map((frame, i) => ({ ...frame, cut: frames[i + 1]?.cut }));
  const before = secondsSinceLost(backwards.toReversed()).toReversed();
  return frames.map(({ duration }, i) =>
    smooth(Math.min(after[i] ?? 0, before[i] ?? 0) / (FADE_SECONDS + duration)),
  );
};

/** The first frame that decides how much of the new mouth those from index `from` on show: FADE_SECONDS earlier. */
export const fadesFrom = (
  frames: readonly Pick<FadingFrame, 'duration'>[],
  from: number,
): number => {
  let [at, seconds] = [from, 0];
  while (at > 0 && seconds < FADE_SECONDS) {
    at -= 1;
    seconds += frames[at]?.duration ?? 0;
  }
  return at;
};

/** 3 t^2 - 2 t^3: it begins and ends slowly. */
const smooth = (share: number): number => {
  const t = Math.min(1, share);
  return t * t * (3 - 2 * t);
};
