/** Where the output goes over to another shot of the clip: pure. */
import type { OutputFrame } from './output-frame.ts';

/**
 * The frames, each marked that shows another shot than the one before it. `cuts`: indices of the clip's pictures with which
 * a shot begins. Played backwards or begun again, a clip is cut in the same places, and where its end meets its beginning.
 */
export const markCuts = (frames: readonly OutputFrame[], cuts: readonly number[]): OutputFrame[] =>
  frames.map((frame, i) => {
    const before = frames[i - 1]?.source ?? frame.source;
    const [from, to] = [Math.min(before, frame.source), Math.max(before, frame.source)];
    return cuts.some((at) => from < at && at <= to) ? { ...frame, cut: true } : frame;
  });
