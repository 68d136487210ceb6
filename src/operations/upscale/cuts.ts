/** Where a long video is cut into chunks. Pure. */
import type { VideoInfo } from '../../media/info.ts';

/** The pictures that are shown from `from` to before `to`, in seconds on the decoder's clock; null: from the first, to the last. */
export type Span = { readonly from: number | null; readonly to: number | null };

/**
 * Spans of at least about `chunkSeconds` that begin at key frames, all about equally long; one span for a video that is
 * shorter than two of them, or has no key frame to begin at.
 */
export const spansOf = (
  { startSeconds, durationSeconds, keyFrames }: VideoInfo,
  chunkSeconds: number,
): Span[] => {
  const count = Math.max(1, Math.floor(durationSeconds / chunkSeconds));
  const wanted = Array.from({ length: count - 1 }, (_, i) => {
    return startSeconds + ((i + 1) * durationSeconds) / count;
  });
  const starts = new Set(wanted.flatMap((time) => nearest(keyFrames, time)));
  // The first picture is a key frame too; it begins no second span.
  starts.delete(keyFrames[0] ?? startSeconds);
  const edges = [null, ...starts, null];
  return edges.slice(1).map((to, i) => ({ from: edges[i] ?? null, to }));
};

/** How many pictures before a span are decoded too where a filter mixes a picture with those beside it. */
const FILTERED = 4;

/** From which time on a span is decoded; `cleaning`: filters that clean its pictures. */
export const seekTo = (
  { from }: Span,
  { interlaced, fps }: VideoInfo,
  cleaning: readonly string[] = [],
): number => {
  const isMixed = interlaced || cleaning.length > 0;
  return from === null ? 0 : Math.max(0, from - (isMixed ? FILTERED / fps : 0));
};

export const nearest = (times: readonly number[], wanted: number): number[] => {
  const off = (time: number) => Math.abs(time - wanted);
  const [first, ...rest] = times;
  if (first === undefined) return [];
  return [rest.reduce((best, time) => (off(time) < off(best) ? time : best), first)];
};
