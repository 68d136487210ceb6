import { FADE_SECONDS, type FadingFrame, fades } from './fades.ts';

/**
 * The frames in their order, eased: `ease` gets each that is seen near one that is not, and how much of the new mouth it is
 * to show, and returns it so. Frames are held back for FADE_SECONDS, as what comes after them decides.
 */
export async function* eased<T extends FadingFrame>(
  frames: AsyncIterable<T>,
  ease: (frame: T, share: number) => Promise<T>,
): AsyncGenerator<T, void, undefined> {
  /** Those given out up to FADE_SECONDS ago, and those held back. */
  const near: T[] = [];
  let given = 0;
  const secondsOf = (some: readonly T[]) => some.reduce((sum, { duration }) => sum + duration, 0);
  async function* give(leastAhead: number) {
    for (;;) {
      const frame = near[given];
      if (!frame || secondsOf(near.slice(given + 1)) < leastAhead) return;
      const share = fades(near)[given] ?? 1;
      yield frame.seen && share < 1 ? await ease(frame, share) : frame;
      given += 1;
      if (secondsOf(near.slice(1, given)) >= FADE_SECONDS) {
        near.shift();
        given -= 1;
      }
    }
  }
  for await (const frame of frames) {
    near.push(frame);
    yield* give(FADE_SECONDS);
  }
  yield* give(0);
}
