import { z } from 'zod';
import type { Size } from '../../frame.ts';
import type { FfmpegOptions } from '../ffmpeg.ts';
import { ChromaPosition, type Colour, type VideoInfo } from '../info.ts';
import { undecodable, unreadable } from '../outcome.ts';
import { askFfprobe } from './ffprobe.ts';
import { type Rotation, rotationOf, SideData, type Streams } from './streams.ts';

type FirstPicture = Pick<
  VideoInfo,
  'size' | 'sampleAspect' | 'pixelFormat' | 'alpha' | 'interlaced' | 'colour' | 'chroma'
> & {
  readonly rotation: Rotation;
};

/** How many packets are searched for a picture: the first, then, where that is damaged, 50. */
const PACKETS = [1, 50];

/** Else a picture that an edit list takes away, up to hundreds before the first one shown, would not be given. */
const CUT_OFF_TOO = ['-ignore_editlist', '1'];

const entries = [
  'frame=width,height,pix_fmt,sample_aspect_ratio,interlaced_frame,color_range,color_space,color_primaries,color_transfer,chroma_location',
  'frame_side_data=rotation',
].join(':');

const FfprobeFrame = z.object({
  width: z.number(),
  height: z.number(),
  pix_fmt: z.string(),
  sample_aspect_ratio: z.string().optional(),
  interlaced_frame: z.number().optional(),
  color_range: z.string().optional(),
  color_space: z.string().optional(),
  color_primaries: z.string().optional(),
  color_transfer: z.string().optional(),
  chroma_location: z.string().optional(),
  side_data_list: SideData,
});
type FfprobeFrame = z.output<typeof FfprobeFrame>;
const FramesOutput = z.object({ frames: z.array(FfprobeFrame).default([]) });

/** Decodes one picture of a video; all others have the same upright size, pixel format and colours. Throws media_unreadable. */
export const decodeFirst = async (
  input: readonly string[],
  video: NonNullable<Streams['video']>,
  options: FfmpegOptions,
): Promise<FirstPicture> => {
  const asked = [...CUT_OFF_TOO, ...input, '-select_streams', 'V:0', '-show_entries', entries];
  let errorText = '';
  for (const packets of PACKETS) {
    const args = [...asked, '-read_intervals', `%+#${packets}`];
    const { output, exit } = await askFfprobe(args, FramesOutput, options);
    const [frame] = output?.frames ?? [];
    if (frame) return describe(frame, video);
    errorText ||= exit.errorText;
  }
  if (['unknown', 'none'].includes(video.codec))
    throw unreadable(`its pictures are of an unknown codec${video.tag && ` (${video.tag})`}`);
  throw unreadable(undecodable(errorText, 'its pictures'));
};

const describe = (frame: FfprobeFrame, video: NonNullable<Streams['video']>): FirstPicture => {
  const rotation = rotationOf(frame.side_data_list) ?? video.rotation;
  const onItsSide = rotation === 90 || rotation === 270;
  const { width, height, pix_fmt: pixelFormat } = frame;
  const { num, den } = aspectOf(frame);
  const colour = {
    fullRange: frame.color_range === 'pc',
    matrix: known(frame.color_space),
    primaries: known(frame.color_primaries),
    transfer: known(frame.color_transfer),
  };
  return {
    size: onItsSide ? { width: height, height: width } : { width, height },
    sampleAspect: onItsSide ? { num: den, den: num } : { num, den },
    // ffmpeg turns no picture whose chroma is halved one way only.
    pixelFormat:
      onItsSide && /42[12]|41[01]|440|nv16|yuyv|uyvy|yvyu/.test(pixelFormat)
        ? 'yuv444p'
        : pixelFormat,
    alpha: video.alpha || /^(yuva|ayuv|gbrap|rgba|bgra|argb|abgr|ya\d)/.test(pixelFormat),
    interlaced: frame.interlaced_frame === 1 || video.interlaced,
    rotation,
    chroma: chromaOf(frame.chroma_location, rotation),
    colour: { ...colour, matrix: resolveMatrix(colour, pixelFormat, frame) },
  };
};

/** The four sides and the four corners, in ffmpeg's names: a rotation by 90 degrees takes each to the next of its four. */
const chromaPlaces = ChromaPosition.options.filter((place) => place !== 'centre');

/** stated: of the picture before it is rotated. Where nothing is stated, on the left, as in H.264. */
const chromaOf = (stated: string | undefined, rotation: Rotation): ChromaPosition => {
  if (stated === 'center') return 'centre';
  const place = Math.max(0, chromaPlaces.map(String).indexOf(stated ?? ''));
  const inItsFour = place % 4;
  return chromaPlaces[place - inItsFour + ((inItsFour + rotation / 90) % 4)] ?? 'left';
};

/** "12:11"; where the file states none, pixels are square. */
const aspectOf = ({ sample_aspect_ratio: stated = '' }: FfprobeFrame) => {
  const [num = 0, den = 0] = stated.split(':', 2).map(Number);
  return num > 0 && den > 0 ? { num, den } : { num: 1, den: 1 };
};

const known = (name = 'unknown'): string | null =>
  ['unknown', 'unspecified', 'reserved'].includes(name) ? null : name;

/** The YUV matrices that ffmpeg's scaler knows. */
const matrices = ['bt709', 'fcc', 'bt470bg', 'smpte170m', 'smpte240m', 'bt2020nc', 'bt2020c'];

const resolveMatrix = (tags: Colour, pixelFormat: string, size: Size): string | null => {
  if (/rgb|bgr|gbr|pal8/.test(pixelFormat)) return null;
  const matrix = tags.matrix ?? guessMatrix(size);
  if (!matrices.includes(matrix)) throw unreadable(`its colour matrix ${matrix} is not supported`);
  return matrix;
};

/** What players assume of a video that names no matrix. Browsers ask for the height alone, of upright videos too. */
const guessMatrix = ({ height }: Size): string => (height < 720 ? 'smpte170m' : 'bt709');
