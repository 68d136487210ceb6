import type { YuvFrame } from '../../../frame.ts';
import { framesAt, type IndexedVideo } from '../../../media/read/indexed-video.ts';
import type { Shot } from '../plan/timeline.ts';

/** A picture of the output before anything was rendered; `index` is that of its shot. */
export type ShotFrame = YuvFrame & {
  /** One that fades out over it. */
  readonly under?: YuvFrame & { readonly share: number };
};

/** The pictures of all shots from that one on, in order, at full size; each is the receiver's. */
export async function* readShots(
  film: IndexedVideo,
  shots: readonly Shot[],
  from: number,
  means: Parameters<typeof framesAt>[2],
): AsyncGenerator<ShotFrame> {
  const rest = shots.slice(from);
  const over = framesAt(
    film,
    rest.map(({ source }) => source),
    means,
  );
  const below = rest.flatMap(({ under }) => (under ? [under.source] : []));
  const under = framesAt(film, below, means);
  try {
    for (const [i, { time, duration, under: fading }] of rest.entries()) {
      const timed = { index: from + i, time, duration };
      const frame = { ...(await next(over)), ...timed };
      yield fading
        ? { ...frame, under: { ...(await next(under)), ...timed, share: fading.share } }
        : frame;
    }
  } finally {
    await Promise.all([over.return(undefined), under.return(undefined)]);
  }
}

const next = async (frames: AsyncGenerator<YuvFrame>): Promise<YuvFrame> => {
  const { value, done } = await frames.next();
  if (done) throw new Error('expected a picture for every shot');
  return value;
};
