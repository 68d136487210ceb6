import type { Config } from '../../config.ts';
import type { Frame } from '../../frame.ts';
import type { UpscaleOutput } from '../../operations/upscale/request.ts';
import { fileInput } from '../ffmpeg.ts';
import type { AudioTrack, Colour, Ratio, VideoInfo } from '../info.ts';
import { fromRgb, outputColour } from '../scaler.ts';
import { type AnyFrame, type Encoded, encode, isRgb, runWith } from './encoder.ts';
import { copiedSound } from './output.ts';
import { checkHeads, listOf, type Part, partsInput } from './parts.ts';
import { type Sound, soundArgs } from './sound-graph.ts';

/** What the pictures of an output are besides their pixels. */
export type Look = Pick<VideoInfo, 'colour' | 'sampleAspect' | 'timeBase' | 'constantRate' | 'fps'>;
/** What the clocks of pictures and sound may round away. */
const MARGIN_SECONDS = 1;
type Source = { readonly path: string; readonly info: VideoInfo };

/**
 * Writes the frames as H.264 in MP4, each at its own time, with the sound, colours and pixel shape of the source.
 * Throws encode_failed, or what the frames themselves fail with.
 */
export const encodeVideo = (
  frames: AsyncIterable<Frame>,
  source: Source,
  target: string,
  output: UpscaleOutput,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): Promise<Encoded> =>
  encode(frames, source.info.fps, { ffmpeg, signal }, (first) => [
    // ffmpeg starts each input at zero: the first picture's distance from the start of the sound is put back.
    ...['-itsoffset', first.time.toFixed(6), ...pipeInput],
    ...(source.info.hasAudio ? fileInput(source.path, source.info.container) : []),
    ...['-map', '0:V:0', ...ownSoundArgs(source.info.audio)],
    ...pictureArgs(source.info, true, quality(output), ffmpeg),
    // A sound that turns out longer than its packets say goes on no longer than they do.
    ...['-t', (source.info.mediaSeconds + MARGIN_SECONDS).toFixed(6)],
    ...fileArgs(source.info, target),
  ]);

/**
 * Visually lossless for most material: 50 dB where nothing was rendered. The search for motion ends early, which takes
 * half of veryfast's time for 7 % larger files and up to 1 dB: see docs/performance.
 */
const CLIP_QUALITY = ['-crf', '17', '-x264-params', 'subme=1:partitions=i8x8,i4x4'];

/**
 * Writes the frames as H.264 in MP4, each at its own distance from the first: a part of a clip, for `joinClip`. Codes of
 * 4:2:0 reach the encoder untouched. Throws encode_failed, or what the frames themselves fail with.
 */
export const encodePart = (
  frames: AsyncIterable<AnyFrame>,
  look: Look,
  target: string,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): Promise<Encoded> =>
  encode(frames, look.fps, { ffmpeg, signal }, (first) => [
    ...[...pipeInput, '-map', '0:V:0'],
    ...pictureArgs(look, isRgb(first), CLIP_QUALITY, ffmpeg),
    ...clockArgs(look),
    ...['-f', 'mp4', `file:${target}`],
  ]);

/**
 * Writes the parts, at least one, one behind the other, each picture bit for bit and at its own time, with a sound that
 * starts with the first and is cut, or filled with silence, to its exact length. Throws encode_failed.
 */
export const joinClip = async (
  parts: readonly Part[],
  look: Look,
  sound: Sound,
  target: string,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): Promise<void> => {
  await checkHeads(parts.map(({ path }) => path));
  const { inputs, output } = soundArgs(sound, 1);
  const args = [
    ...['-y', ...partsInput, ...inputs, '-map', '0:v:0', '-c:v', 'copy'],
    ...[...output, ...fileArgs(look, target)],
  ];
  await runWith(listOf(parts), { ffmpeg, args, signal });
};

/** The same times as a file with this clock has them: in whole ticks. */
export const onClock = <T extends { readonly time: number; readonly duration: number }>(
  timed: readonly T[],
  { timeBase }: Pick<Look, 'timeBase'>,
): T[] => {
  const ticks = timescale(timeBase);
  const whole = (seconds: number) => Math.round(seconds * ticks) / ticks;
  return timed.map((one) => {
    const time = whole(one.time);
    return { ...one, time, duration: Math.max(1 / ticks, whole(one.time + one.duration) - time) };
  });
};

const pipeInput = ['-probesize', '1024', '-analyzeduration', '0', '-f', 'matroska', '-i', 'pipe:0'];

const pictureArgs = (
  look: Look,
  rgb: boolean,
  quality: readonly string[],
  { preset, threads }: Config['ffmpeg'],
): string[] => {
  const { num, den } = look.sampleAspect;
  const filters = [
    ...(rgb ? [`scale=${fromRgb(look.colour)}`, 'format=yuv420p'] : []),
    ...[`setsar=${num}/${den}:max=65535`, tags(look.colour)],
  ];
  return [
    ...['-fps_mode', 'passthrough', '-enc_time_base:v', `1/${timescale(look.timeBase)}`],
    ...['-vf', filters.join(',')],
    ...['-c:v', 'libx264', '-preset', preset, '-threads', String(threads), ...quality],
    // Reordered pictures of uneven length would leave the track's own duration wrong.
    ...(look.constantRate ? [] : ['-bf', '0']),
  ];
};

const fileArgs = (look: Look, target: string): string[] => [
  ...[...clockArgs(look), '-map_chapters', '-1'],
  ...['-movflags', '+faststart', '-f', 'mp4', `file:${target}`],
];

const clockArgs = ({ timeBase }: Look): string[] => {
  const scale = String(timescale(timeBase));
  return ['-video_track_timescale', scale, '-movie_timescale', scale];
};

/** Ticks per second such that every time of the source is a whole tick, as far as MP4's 32 bits go. */
const timescale = ({ den }: Ratio): number => {
  if (den > 1_000_000) return 1_000_000;
  return den >= 10_000 ? den : den * Math.ceil(10_000 / den);
};

const ownSoundArgs = (tracks: readonly AudioTrack[]): string[] => [
  // Older releases hold FLAC in MP4 for an experiment.
  ...['-strict', 'experimental'],
  ...tracks.flatMap(({ index, codec }, at) => [
    ...['-map', `1:a:${index}`],
    ...(copiedSound.includes(codec)
      ? [`-c:a:${at}`, 'copy']
      : [`-c:a:${at}`, 'aac', `-b:a:${at}`, '192k']),
  ]),
];

/** Quality 80, the default, is visually lossless for most material; 100 leaves no visible trace. */
const quality = (output: UpscaleOutput): string[] =>
  output.lossless ? ['-qp', '0'] : ['-crf', (45 - 0.35 * (output.quality ?? 80)).toFixed(2)];

/** Set on the pictures, not on the encoder: newer releases of ffmpeg believe the former. */
const tags = (colour: Colour): string => {
  const { matrix, fullRange, primaries, transfer } = outputColour(colour);
  const known = [
    ...[`range=${fullRange ? 'pc' : 'tv'}`, `colorspace=${matrix}`],
    ...(primaries ? [`color_primaries=${primaries}`] : []),
    ...(transfer ? [`color_trc=${transfer}`] : []),
  ];
  return `setparams=${known.join(':')}`;
};
