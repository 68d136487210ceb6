/** The pictures of one span of a video, and the marks that show whether spans follow each other without a seam. */
import { createHash } from 'node:crypto';
import type { Timed } from '../../frame.ts';
import type { VideoInfo } from '../../media/info.ts';
import { onClock } from '../../media/write/encode.ts';
import type { Span } from './cuts.ts';

/** A picture of the source: when it is shown, and its pixels' hash. */
type Mark = { readonly time: number; readonly sha256: string };

/** What is known of a span when its pictures have been read. */
export type Edges = {
  first: Mark | null;
  /** The picture after the last: the first one of the next span. */
  next: Mark | null;
  /** Until when the last one is shown, in seconds. */
  end: number;
};

/** Seconds. The times of one picture, decoded from two places in the file, differ by less. */
const SAME = 1e-6;

/** Those of `frames`, which begin at the span's first picture or before, that belong to it; `edges` gets its marks. */
export async function* framesOfSpan<F extends Timed & { readonly pixels: Buffer }>(
  frames: AsyncIterable<F>,
  { from, to }: Span,
  info: VideoInfo,
  edges: Edges,
): AsyncGenerator<F> {
  for await (const frame of frames) {
    if (from !== null && frame.time < from - SAME) continue;
    const [timed = frame] = onClock([frame], info);
    if (to !== null && frame.time >= to - SAME) {
      edges.next = markOf(timed);
      return;
    }
    edges.first ??= markOf(timed);
    edges.end = timed.time + timed.duration;
    yield timed;
  }
}

const markOf = ({ time, pixels }: { readonly time: number; readonly pixels: Buffer }): Mark => ({
  time,
  sha256: createHash('sha256').update(pixels).digest('hex'),
});

/** Whether each span ends with the picture before the next one's first, which must be the same however it was decoded. */
export const areSeamless = (spans: readonly Edges[]): boolean =>
  spans.every(({ first, next }, i) => {
    const after = spans[i + 1]?.first ?? null;
    return first !== null && next?.time === after?.time && next?.sha256 === after?.sha256;
  });
