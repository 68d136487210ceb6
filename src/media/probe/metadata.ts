import { z } from 'zod';
import { type FfmpegOptions, probeInput } from '../ffmpeg.ts';
import type { VideoInfo } from '../info.ts';
import { unreadable } from '../outcome.ts';
import type { VideoMetadata } from '../output.ts';
import { askFfprobe } from './ffprobe.ts';

const APPLE_LOCATION = 'com.apple.quicktime.location.ISO6709';

const creationTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z/;
const location = /^(?:[+-]\d{1,7}(?:\.\d{1,9})?){2,3}/;

/** The beginning of a tag that has this form; anybody can write such tags, so other texts are ignored. */
const matching = (form: RegExp) =>
  z
    .string()
    .transform((text) => form.exec(text)?.[0])
    .optional();

const Tags = z.object({
  format: z
    .object({
      tags: z
        .object({
          creation_time: matching(creationTime),
          location: matching(location),
          [APPLE_LOCATION]: matching(location),
        })
        .default({}),
    })
    .default({ tags: {} }),
});

/** When and where a video was made, for a result that keeps its metadata. Throws media_unreadable. */
export const readMetadata = async (
  { path, info }: { readonly path: string; readonly info: VideoInfo },
  options: FfmpegOptions,
): Promise<VideoMetadata> => {
  const names = ['creation_time', 'location', APPLE_LOCATION];
  const args = [...probeInput(path, info.container), '-show_entries', `format_tags=${names}`];
  const { output, exit } = await askFfprobe(args, Tags, options);
  if (!output) throw unreadable(exit.errorText);
  const { creation_time, location: place, [APPLE_LOCATION]: apple } = output.format.tags;
  const known = place ?? apple;
  return { creationTime: creation_time, location: known && `${known}/` };
};
