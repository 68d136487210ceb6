import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { Size } from '../../frame.ts';
import type { Colour, VideoInfo } from '../info.ts';
import { unreadable } from '../outcome.ts';
import { askFfprobe } from './ffprobe.ts';
import { SideData, type Streams, type Turn, turnOf } from './streams.ts';

type First = Pick<VideoInfo, 'size' | 'sampleAspect' | 'pixelFormat' | 'interlaced' | 'colour'> & {
  readonly turned: Turn;
};

/** Where the first packets are damaged, so many are looked at for a picture. */
const PACKETS = [1, 50];

const entries = [
  'frame=width,height,pix_fmt,sample_aspect_ratio,interlaced_frame,color_range,color_space,color_primaries,color_transfer',
  'frame_side_data=rotation',
].join(':');

const Picture = z.object({
  width: z.number(),
  height: z.number(),
  pix_fmt: z.string(),
  sample_aspect_ratio: z.string().optional(),
  interlaced_frame: z.number().optional(),
  color_range: z.string().optional(),
  color_space: z.string().optional(),
  color_primaries: z.string().optional(),
  color_transfer: z.string().optional(),
  side_data_list: SideData,
});
type Picture = z.output<typeof Picture>;
const Told = z.object({ frames: z.array(Picture).default([]) });

/** Decodes one picture of a video, to know what all will be: upright size, pixels, colours. Throws media_unreadable. */
export const decodeFirst = async (
  input: readonly string[],
  video: NonNullable<Streams['video']>,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): Promise<First> => {
  const asked = [...input, '-select_streams', 'V:0', '-show_entries', entries];
  let complaint = '';
  for (const packets of PACKETS) {
    const args = [...asked, '-read_intervals', `%+#${packets}`];
    const { told, ended } = await askFfprobe(args, Told, ffmpeg, signal);
    const [picture] = told?.frames ?? [];
    if (picture) return describe(picture, video);
    complaint ||= ended.complaint;
  }
  throw unreadable(complaint || 'no picture could be decoded');
};

const describe = (picture: Picture, video: NonNullable<Streams['video']>): First => {
  const turned = turnOf(picture.side_data_list) ?? video.turned;
  const lies = turned === 90 || turned === 270;
  const { width, height, pix_fmt: pixelFormat } = picture;
  const { num, den } = aspectOf(picture);
  const colour = {
    fullRange: picture.color_range === 'pc',
    matrix: known(picture.color_space),
    primaries: known(picture.color_primaries),
    transfer: known(picture.color_transfer),
  };
  return {
    size: lies ? { width: height, height: width } : { width, height },
    sampleAspect: lies ? { num: den, den: num } : { num, den },
    // ffmpeg turns no picture whose chroma is halved one way only.
    pixelFormat:
      lies && /42[12]|41[01]|440|nv16|yuyv|uyvy|yvyu/.test(pixelFormat) ? 'yuv444p' : pixelFormat,
    interlaced: picture.interlaced_frame === 1 || video.interlaced,
    turned,
    colour: { ...colour, matrix: resolveMatrix(colour, pixelFormat, picture) },
  };
};

/** "12:11"; what is not known is square. */
const aspectOf = ({ sample_aspect_ratio: told = '' }: Picture) => {
  const [num = 0, den = 0] = told.split(':', 2).map(Number);
  return num > 0 && den > 0 ? { num, den } : { num: 1, den: 1 };
};

const known = (name = 'unknown'): string | null =>
  ['unknown', 'unspecified', 'reserved'].includes(name) ? null : name;

/** Those that ffmpeg's scaler knows. */
const matrices = ['bt709', 'fcc', 'bt470bg', 'smpte170m', 'smpte240m', 'bt2020nc', 'bt2020c'];

const resolveMatrix = (tags: Colour, pixelFormat: string, size: Size): string | null => {
  if (/rgb|bgr|gbr|pal8/.test(pixelFormat)) return null;
  const matrix = tags.matrix ?? guessMatrix(size);
  if (!matrices.includes(matrix)) throw unreadable(`its colour matrix ${matrix} is not supported`);
  return matrix;
};

/** What players take an untagged video for. */
const guessMatrix = ({ width, height }: Size): string =>
  Math.min(width, height) < 720 ? 'smpte170m' : 'bt709';
