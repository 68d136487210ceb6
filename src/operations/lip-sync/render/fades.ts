import type { Style } from '../../../triton/clients/style.ts';

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

/** Share of the new mouth from which a drawing shows it: the face is found worst in the frame beside one that is not seen. */
const DRAWN = 0.1;

/**
 * The opacity of the new mouth while it fades in or out: min(1, 2 * share). Two mouths are mixed only while share is below 0.5,
 * where their shapes differ by less than half of the way: a larger difference would show two outlines. The mouths of a drawing
 * are never mixed, as its own may have any shape, and two of them in lines and areas of one colour are seen as two.
 */
export const opacityOf = (share: number, style: Style): number =>
  style === 'flat' ? Number(share >= DRAWN) : Math.min(1, 2 * share);
