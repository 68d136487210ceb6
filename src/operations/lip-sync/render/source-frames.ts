import type { YuvFrame } from '../../../frame.ts';
import { framesAt, type IndexedVideo } from '../../../media/read/indexed-video.ts';
import type { OutputFrame } from '../plan/output-frame.ts';

/**
 * The clip's picture for an output frame, at full size, before a mouth is rendered. Index, time and duration are those of the
 * output frame.
 */
export type SourceFrame = YuvFrame & {
  /** The picture that fades out over it, and its share of what is seen. */
  readonly crossfade?: YuvFrame & { readonly share: number };
};

/** The pictures of the output frames from index `from` on, in order; each in memory that belongs to the receiver. */
export async function* readSourceFrames(
  video: IndexedVideo,
  frames: readonly OutputFrame[],
  from: number,
  means: Parameters<typeof framesAt>[2],
): AsyncGenerator<SourceFrame> {
  const rest = frames.slice(from);
  const shown = framesAt(
    video,
    rest.map(({ source }) => source),
    means,
  );
  const faded = framesAt(
    video,
    rest.flatMap(({ crossfade }) => (crossfade ? [crossfade.source] : [])),
    means,
  );
  try {
    for (const [i, { time, duration, crossfade }] of rest.entries()) {
      const timed = { index: from + i, time, duration };
      const frame = { ...(await next(shown)), ...timed };
      yield crossfade
        ? { ...frame, crossfade: { ...(await next(faded)), ...timed, share: crossfade.share } }
        : frame;
    }
  } finally {
    await Promise.all([shown.return(undefined), faded.return(undefined)]);
  }
}

const next = async (frames: AsyncGenerator<YuvFrame>): Promise<YuvFrame> => {
  const { value, done } = await frames.next();
  if (done) throw new Error('expected a picture for every output frame');
  return value;
};
