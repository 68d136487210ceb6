import type { Size } from '../../frame.ts';
import { chaptersInput, type FfmpegOptions, fileInput } from '../ffmpeg.ts';
import type { Colour, Ratio, VideoInfo } from '../info.ts';
import { COPIED_CODECS, type EncodingOptions, type VideoMetadata } from '../output.ts';
import { checkParameterSets, type EncodedPart, listOf, partsInput } from '../parts.ts';
import { fromRgb, outputColour } from '../scaler.ts';
import { beginningOf, later } from './beginning.ts';
import { type AnyFrame, type Encoded, encode, isRgb, runWith } from './encoder.ts';
import { type SoundTrack, soundArgs } from './sound-graph.ts';

/** What the pictures of an output have besides their pixels. */
export type VideoFormat = Pick<
  VideoInfo,
  'colour' | 'sampleAspect' | 'timeBase' | 'constantRate' | 'fps'
>;

/** What a result has besides its pictures; `subtitles`: a file of `writeSubtitles`; without `metadata`, those of the source are left out. */
export type VideoSource = {
  readonly path: string;
  readonly info: VideoInfo;
  readonly subtitles?: string | undefined;
  readonly metadata?: VideoMetadata | undefined;
};

type UpscaleEncoding = FfmpegOptions & {
  readonly source: VideoSource;
  readonly target: string;
  readonly output: EncodingOptions;
  readonly filters?: readonly string[];
};

/** More than the rounding of the clocks of pictures and sound. */
const MARGIN_SECONDS = 1;

/**
 * Writes the frames as H.264 in MP4, each at its own time, with the sound, chapters, colours and pixel shape of the source,
 * and its subtitles.
 * Throws encode_failed, or what the frames themselves fail with.
 */
export const encodeVideo = (
  frames: AsyncIterable<AnyFrame>,
  { source, target, output, filters, ffmpeg, signal }: UpscaleEncoding,
): Promise<Encoded> => {
  const { info } = source;
  return encode(frames, { ffmpeg, signal, fps: info.fps }, (first) => [
    // ffmpeg starts each input at zero: this restores the first picture's distance from the start of the sound.
    ...[...later(first.time - beginningOf(info)), ...pipeInput],
    ...sourceInputs(source),
    ...['-map', '0:V:0', ...sourceArgs(source)],
    ...pictureArgs(info, { first, filters, quality: quality(output), ffmpeg }),
    ...wholeFileArgs(info, target),
  ]);
};

type UpscaleJoining = Omit<UpscaleEncoding, 'output' | 'filters'> & {
  /** When the first picture is shown, in seconds on the clock of the source. */
  readonly start: number;
};

/** Writes the parts, at least one, to what `encodeVideo` makes of all their frames in one go. Throws encode_failed. */
export const joinVideo = async (
  parts: readonly EncodedPart[],
  { source, start, target, ffmpeg, signal }: UpscaleJoining,
): Promise<void> => {
  await checkParameterSets(parts.map((part) => part.path));
  const args = [
    ...['-y', ...later(start - beginningOf(source.info)), ...partsInput, ...sourceInputs(source)],
    ...['-map', '0:v:0', '-c:v', 'copy', ...sourceArgs(source)],
    ...wholeFileArgs(source.info, target),
  ];
  await runWith(listOf(parts), { ffmpeg, args, signal });
};

/**
 * Visually lossless for most material: PSNR 50 dB where nothing was rendered. The motion search ends early: half the time
 * of the preset veryfast, for files 7 % larger and up to 1 dB less; see docs/performance.
 */
const CLIP_QUALITY = ['-crf', '17', '-x264-params', 'subme=1:partitions=i8x8,i4x4'];

type PartEncoding = FfmpegOptions & {
  readonly format: VideoFormat;
  readonly target: string;
  /** Absent: CLIP_QUALITY. */
  readonly output?: EncodingOptions;
  readonly filters?: readonly string[];
};

/**
 * Writes the frames as H.264 in MP4, each at its own distance from the first: a part of a clip, for `joinClip` or `joinVideo`. The codes
 * of 4:2:0 frames reach the encoder unchanged. Throws encode_failed, or what the frames themselves fail with.
 */
export const encodePart = (
  frames: AsyncIterable<AnyFrame>,
  { format, target, output, filters, ffmpeg, signal }: PartEncoding,
): Promise<Encoded> =>
  encode(frames, { ffmpeg, signal, fps: format.fps }, (first) => [
    ...[...pipeInput, '-map', '0:V:0'],
    ...pictureArgs(format, {
      first,
      filters,
      ffmpeg,
      quality: output ? quality(output) : CLIP_QUALITY,
    }),
    ...clockArgs(format),
    ...['-f', 'mp4', `file:${target}`],
  ]);

type Joining = Omit<PartEncoding, 'output' | 'filters'> & { readonly sound: SoundTrack };

/**
 * Writes the parts, at least one, one behind the other: each picture bit for bit and at its own time, with a sound that
 * starts with the first picture and is cut, or padded with silence, to the exact length of all. Throws encode_failed.
 */
export const joinClip = async (
  parts: readonly EncodedPart[],
  { format, sound, target, ffmpeg, signal }: Joining,
): Promise<void> => {
  await checkParameterSets(parts.map(({ path }) => path));
  const { inputs, output } = soundArgs(sound, 1);
  const args = [
    ...['-y', ...partsInput, ...inputs, '-map', '0:v:0', '-c:v', 'copy'],
    ...[...output, '-map_chapters', '-1', ...fileArgs(format, target)],
  ];
  await runWith(listOf(parts), { ffmpeg, args, signal });
};

/** The times as a file with this clock states them: in whole ticks. */
export const onClock = <T extends { readonly time: number; readonly duration: number }>(
  timed: readonly T[],
  { timeBase }: Pick<VideoFormat, 'timeBase'>,
): T[] => {
  const ticks = timescale(timeBase);
  const whole = (seconds: number) => Math.round(seconds * ticks) / ticks;
  return timed.map((one) => {
    const time = whole(one.time);
    return { ...one, time, duration: Math.max(1 / ticks, whole(one.time + one.duration) - time) };
  });
};

const pipeInput = ['-probesize', '1024', '-analyzeduration', '0', '-f', 'matroska', '-i', 'pipe:0'];

/** Pixels in all threads of x264 together, at most. Each takes 12 bytes a pixel: 8192x4320 gets 4 threads and 1.7 GB. */
const MOST_PIXELS_IN_THREADS = 150e6;

const threadsFor = ({ width, height }: Size, most: number): number =>
  Math.min(most, Math.max(2, Math.floor(MOST_PIXELS_IN_THREADS / (width * height))));

type PictureEncoding = Pick<FfmpegOptions, 'ffmpeg'> & {
  readonly first: AnyFrame;
  /** Filters of ffmpeg, for frames in 4:2:0. */
  readonly filters?: readonly string[] | undefined;
  readonly quality: readonly string[];
};

const pictureArgs = (
  format: VideoFormat,
  { first, filters = [], quality, ffmpeg: { preset, threads } }: PictureEncoding,
): string[] => {
  const { num, den } = format.sampleAspect;
  const graph = [
    ...(isRgb(first) ? [`scale=${fromRgb(format.colour)}`, 'format=yuv420p'] : []),
    ...filters,
    ...[`setsar=${num}/${den}:max=65535`, colourTags(format.colour)],
  ];
  return [
    ...['-fps_mode', 'passthrough', '-enc_time_base:v', `1/${timescale(format.timeBase)}`],
    ...['-vf', graph.join(',')],
    ...['-c:v', 'libx264', '-preset', preset, ...quality],
    ...['-threads', String(threadsFor(first, threads))],
    // Reordered pictures (B-frames) of uneven duration would make the track's duration wrong.
    ...(format.constantRate ? [] : ['-bf', '0']),
  ];
};

const fileArgs = (format: VideoFormat, target: string): string[] => [
  ...clockArgs(format),
  ...['-movflags', '+faststart', '-f', 'mp4', `file:${target}`],
];

/** Where sound decodes to more than its packets state, it is cut to what they state. */
const wholeFileArgs = (info: VideoInfo, target: string): string[] => [
  ...['-t', (info.mediaSeconds + MARGIN_SECONDS).toFixed(6)],
  ...fileArgs(info, target),
];

const clockArgs = ({ timeBase }: VideoFormat): string[] => {
  const scale = String(timescale(timeBase));
  return ['-video_track_timescale', scale, '-movie_timescale', scale];
};

/** Ticks per second of a written file, such that every time of the source is a whole tick; at most a million, as MP4 states it in 32 bits. */
export const timescale = ({ den }: Ratio): number => {
  if (den > 1_000_000) return 1_000_000;
  return den >= 10_000 ? den : den * Math.ceil(10_000 / den);
};

const sourceInputs = ({ path, info, subtitles }: VideoSource): string[] => [
  ...[...later(-beginningOf(info)), ...fileInput(path, info.container)],
  ...(subtitles === undefined ? [] : fileInput(subtitles, 'mov')),
  ...(info.others.chapters === 0 ? [] : chaptersInput(path, info.container)),
];

const sourceArgs = ({ info, subtitles, metadata }: VideoSource): string[] => [
  // Older releases treat FLAC in MP4 as experimental.
  ...['-strict', 'experimental'],
  ...info.audio.flatMap(({ index, codec, remap }, at) => [
    ...['-map', `1:a:${index}`],
    ...(COPIED_CODECS.includes(codec)
      ? [`-c:a:${at}`, 'copy']
      : [
          ...[`-c:a:${at}`, 'aac', `-b:a:${at}`, '192k'],
          ...(remap ? [`-filter:a:${at}`, remap] : []),
        ]),
  ]),
  ...(subtitles === undefined ? [] : ['-map', '2:s', '-c:s', 'copy']),
  ...['-map_chapters', chaptersAt({ info, subtitles })],
  ...(metadata ? metadataArgs(metadata) : []),
];

/** Arguments of an output: texts such as title and comment from input 1, the source, as far as an MP4 has them. */
const metadataArgs = ({ creationTime, location: place }: VideoMetadata): string[] => [
  ...['-map_metadata:g', '1:g'],
  ...(creationTime ? ['-metadata', `creation_time=${creationTime}`] : []),
  ...(place ? ['-metadata', `location=${place}`] : []),
];

/** The number of the input that has the chapters, as `sourceInputs` has them; -1 for none. */
const chaptersAt = ({ info, subtitles }: Pick<VideoSource, 'info' | 'subtitles'>): string => {
  if (info.others.chapters === 0) return '-1';
  return subtitles === undefined ? '2' : '3';
};

/** Quality 80, the default, is CRF 17: visually lossless for most material. 100 is CRF 10. */
const quality = (output: EncodingOptions): string[] =>
  output.lossless ? ['-qp', '0'] : ['-crf', (45 - 0.35 * (output.quality ?? 80)).toFixed(2)];

/** Set on the pictures, not on the encoder: newer releases of ffmpeg take the tags from the pictures. */
const colourTags = (colour: Colour): string => {
  const { matrix, fullRange, primaries, transfer } = outputColour(colour);
  const known = [
    ...[`range=${fullRange ? 'pc' : 'tv'}`, `colorspace=${matrix}`],
    ...(primaries ? [`color_primaries=${primaries}`] : []),
    ...(transfer ? [`color_trc=${transfer}`] : []),
  ];
  return `setparams=${known.join(':')}`;
};
