import { z } from 'zod';
import type { FfmpegOptions } from '../ffmpeg.ts';
import { askFfprobe } from './ffprobe.ts';

/** How many packets are decoded: more than a second of fields. */
const PACKETS = 60;
/** Share of the time between two pictures, below which a packet is a second field: that comes after half of this time. */
const SHARE = 0.6;

const FramesOutput = z.object({
  frames: z.array(z.object({ pts_time: z.coerce.number().catch(Number.NaN) })).default([]),
});

/**
 * H.264 may code the two fields of a picture one by one, as camcorders do, and in a Matroska each has a packet of its own.
 * Two packets that are nearer to each other than this, in seconds, make one picture. 0 where that is not known.
 */
export const leastBetweenPictures = async (
  input: readonly string[],
  options: FfmpegOptions,
): Promise<number> => {
  const asked = ['-select_streams', 'V:0', '-show_entries', 'frame=pts_time'];
  const args = [...input, ...asked, '-read_intervals', `%+#${PACKETS}`];
  const { output } = await askFfprobe(args, FramesOutput, options);
  const times = (output?.frames ?? []).map(({ pts_time }) => pts_time);
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  const sorted = gaps.filter((gap) => gap > 0).sort((a, b) => a - b);
  return SHARE * (sorted[sorted.length >> 1] ?? 0);
};
