/** Which output frames lie in a segment that speaks. Pure; all times in seconds. */
import type { OutputFrame } from './output-frame.ts';

/** A span of the clip in which the mouth follows the sound; with `audio` null it is left as it was. */
export type SpokenSegment = {
  readonly start: number;
  readonly end: number;
  readonly audio: object | null;
};

/** How long the new mouth takes to appear, and to go, at the edge of a segment. */
const EDGE_SECONDS = 0.1;

/** The frames with `moves` true where their middle lies in a segment with audio, and with `opacity` near its edges. */
export const markSegments = (
  segments: readonly SpokenSegment[],
  frames: readonly OutputFrame[],
): OutputFrame[] => {
  const marked = frames.map((frame) => {
    const middle = middleOf(frame);
    const moves = segments.some(
      ({ start, end, audio }) => audio !== null && start <= middle && middle < end,
    );
    return { ...frame, moves };
  });
  const edges = marked
    .filter(({ moves }, at) => moves !== (marked[at - 1]?.moves ?? moves))
    .map(({ time }) => time);
  return marked.map((frame) => {
    const distance = Math.min(...edges.map((edge) => Math.abs(middleOf(frame) - edge)));
    const opacity = distance / EDGE_SECONDS;
    return frame.moves && opacity < 1 ? { ...frame, opacity } : frame;
  });
};

const middleOf = ({ time, duration }: OutputFrame): number => time + duration / 2;
