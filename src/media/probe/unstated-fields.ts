import { createInterface } from 'node:readline';
import { type FfmpegOptions, startFfmpeg } from '../ffmpeg.ts';
import type { FieldOrder, VideoInfo } from '../info.ts';
import { endOf } from '../outcome.ts';

/** Heights of pictures that television and camcorders made of two fields. In another, the lines of fields no longer lie apart. */
const HEIGHTS: readonly number[] = [480, 486, 576];
/** How many pictures are looked at. */
const PICTURES = 60;
/** So many of them must tell something: nothing moves in the others. */
const LEAST = 20;
/** Of those, how many must say the same. */
const SHARE = 0.75;
/**
 * How much more two fields of one picture differ than a field and its successor do, for clear combs; the filter's own value,
 * 1.04, takes a test pattern of moving lines for them (61 pictures of 61; with this, none, as of any whole picture tried).
 */
const COMBED = 1.18;

/**
 * Which field comes first in pictures of two fields that say of themselves that they are one, as old programs wrote them; null
 * where the pictures are whole. Decodes the first 60 of a video of a height that has fields.
 */
export const unstatedFields = async (
  input: readonly string[],
  { size, rotation }: Pick<VideoInfo, 'size'> & { readonly rotation: number },
  options: FfmpegOptions,
): Promise<FieldOrder | null> => {
  if (rotation !== 0 || !HEIGHTS.includes(size.height)) return null;
  const key = 'lavfi.idet.multiple.current_frame';
  const filters = `metadata=delete,idet=intl_thres=${COMBED},metadata=print:key=${key}:file='pipe\\:1':direct=1`;
  const output = ['-map', '0:V:0', '-frames:v', `${PICTURES}`, '-vf', filters, '-f', 'null', '-'];
  const child = startFfmpeg(['-threads', '1', ...input, ...output], options);
  try {
    const told = { tff: 0, bff: 0, progressive: 0 };
    for await (const line of createInterface({ input: child.stdout })) {
      const [, kind] = /^lavfi\.idet\.\S+=(tff|bff|progressive)$/.exec(line) ?? [];
      if (kind === 'tff' || kind === 'bff' || kind === 'progressive') told[kind] += 1;
    }
    await endOf(child, options);
    const all = told.tff + told.bff + told.progressive;
    const first = told.tff > told.bff ? 'tff' : 'bff';
    return all >= LEAST && told[first] >= SHARE * all ? first : null;
  } finally {
    await child.stop();
  }
};
