import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../config.ts';
import type { UpscaleOutput } from '../contract/upscale.ts';
import { Failure } from '../errors.ts';
import { type Frame, sizeText } from '../frame.ts';
import { fileInput, startFfmpeg } from './ffmpeg.ts';
import type { AudioTrack, Ratio, VideoInfo } from './info.ts';
import { matroskaFrameHead, matroskaHead } from './matroska.ts';
import { fromRgb, outputColour } from './scaler.ts';

export type Encoded = {
  readonly frames: number;
  readonly durationSeconds: number;
  readonly fps: number;
};
type Source = { readonly path: string; readonly info: VideoInfo };
type Tally = { frames: number; start: number; end: number };

/**
 * Writes the frames as H.264 in MP4, each at its own time, with the sound, colours and pixel shape of the source.
 * Throws encode_failed, or what the frames themselves fail with.
 */
export const encodeVideo = async (
  frames: AsyncIterable<Frame>,
  source: Source,
  target: string,
  output: UpscaleOutput,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): Promise<Encoded> => {
  const rest = frames[Symbol.asyncIterator]();
  try {
    const { value: first, done } = await rest.next();
    if (done) throw new Failure('encode_failed', { reason: 'there are no pictures' });
    const args = encodeArgs(first, source, target, output, ffmpeg);
    const tally = await run(first, rest, source.info.fps, { ffmpeg, args, signal });
    const durationSeconds = tally.end - tally.start;
    const fps = Number((tally.frames / durationSeconds).toFixed(6));
    return { frames: tally.frames, durationSeconds: Number(durationSeconds.toFixed(6)), fps };
  } finally {
    await rest.return?.();
  }
};

const run = async (
  first: Frame,
  rest: AsyncIterator<Frame>,
  fps: number,
  { ffmpeg, args, signal }: { ffmpeg: Config['ffmpeg']; args: string[]; signal: AbortSignal },
): Promise<Tally> => {
  const child = startFfmpeg(ffmpeg, args, signal);
  const tally: Tally = { frames: 0, start: first.time, end: first.time };
  try {
    const broken = await feed(child.stdin, stream(first, rest, fps, tally), signal);
    const { exitCode, complaint } = await child.ended();
    signal.throwIfAborted();
    if (broken || exitCode !== 0) {
      const reason = complaint || 'ffmpeg ended early and gave no reason';
      throw new Failure('encode_failed', { reason }, { cause: broken });
    }
    return tally;
  } finally {
    await child.stop();
  }
};

/** Resolves with the pipe's own error when ffmpeg stopped reading, whose reason its end tells; throws what the frames throw. */
const feed = async (stdin: Writable, chunks: AsyncGenerator<Buffer>, signal: AbortSignal) => {
  let failed: { error: unknown } | null = null;
  const watched = async function* () {
    try {
      yield* chunks;
    } catch (error) {
      failed = { error };
      throw error;
    }
  };
  try {
    await pipeline(watched, stdin, { signal });
    return null;
  } catch (error) {
    signal.throwIfAborted();
    if (failed) throw error;
    return error;
  }
};

async function* stream(first: Frame, rest: AsyncIterator<Frame>, fps: number, tally: Tally) {
  yield matroskaHead(first, fps);
  for (let frame: Frame | null = first; frame; frame = await nextOf(rest)) {
    if (sizeText(frame) !== sizeText(first) || frame.channels !== 3) {
      const came = `${sizeText(frame)} with ${frame.channels} channels`;
      throw new Error(`expected pictures of ${sizeText(first)} with 3 channels; ${came} came`);
    }
    tally.frames += 1;
    tally.end = frame.time + frame.duration;
    yield matroskaFrameHead({ ...frame, time: frame.time - first.time });
    yield frame.pixels;
  }
}

const nextOf = async (frames: AsyncIterator<Frame>): Promise<Frame | null> => {
  const { value, done } = await frames.next();
  return done ? null : value;
};

const encodeArgs = (
  first: Frame,
  { path, info }: Source,
  target: string,
  output: UpscaleOutput,
  { preset, threads }: Config['ffmpeg'],
): string[] => {
  const scale = timescale(info.timeBase);
  const { num, den } = info.sampleAspect;
  const filters = [
    ...[`scale=${fromRgb(info.colour)}`, 'format=yuv420p'],
    ...[`setsar=${num}/${den}:max=65535`, tags(info)],
  ];
  return [
    ...['-y', '-filter_threads', String(threads)],
    // ffmpeg starts each input at zero: the first picture's distance from the start of the sound is put back.
    ...['-itsoffset', first.time.toFixed(6)],
    ...['-probesize', '1024', '-analyzeduration', '0', '-f', 'matroska', '-i', 'pipe:0'],
    ...(info.hasAudio ? fileInput(path, info.container) : []),
    ...['-map', '0:V:0', ...soundArgs(info.audio), '-map_chapters', '-1'],
    ...['-fps_mode', 'passthrough', '-enc_time_base', `1/${scale}`],
    ...['-vf', filters.join(',')],
    ...['-c:v', 'libx264', '-preset', preset, '-threads', String(threads), ...quality(output)],
    // Reordered pictures of uneven length would leave the track's own duration wrong.
    ...(info.constantRate ? [] : ['-bf', '0']),
    ...['-video_track_timescale', String(scale), '-movie_timescale', String(scale)],
    ...['-movflags', '+faststart', '-f', 'mp4', `file:${target}`],
  ];
};

/** Ticks per second such that every time of the source is a whole tick, as far as MP4's 32 bits go. */
const timescale = ({ den }: Ratio): number => {
  if (den > 1_000_000) return 1_000_000;
  return den >= 10_000 ? den : den * Math.ceil(10_000 / den);
};

/** Sound that MP4 holds and players know there is copied bit for bit; any other becomes AAC. */
const copied = ['aac', 'mp3', 'ac3', 'eac3', 'alac', 'opus', 'flac'];

const soundArgs = (tracks: readonly AudioTrack[]): string[] => [
  // Older releases hold FLAC in MP4 for an experiment.
  ...['-strict', 'experimental'],
  ...tracks.flatMap(({ index, codec }, at) => [
    ...['-map', `1:a:${index}`],
    ...(copied.includes(codec)
      ? [`-c:a:${at}`, 'copy']
      : [`-c:a:${at}`, 'aac', `-b:a:${at}`, '192k']),
  ]),
];

/** Quality 80, the default, is visually lossless for most material; 100 leaves no visible trace. */
const quality = (output: UpscaleOutput): string[] =>
  output.lossless ? ['-qp', '0'] : ['-crf', (45 - 0.35 * (output.quality ?? 80)).toFixed(2)];

/** Set on the pictures, not on the encoder: newer releases of ffmpeg believe the former. */
const tags = ({ colour }: VideoInfo): string => {
  const { matrix, fullRange, primaries, transfer } = outputColour(colour);
  const known = [
    ...[`range=${fullRange ? 'pc' : 'tv'}`, `colorspace=${matrix}`],
    ...(primaries ? [`color_primaries=${primaries}`] : []),
    ...(transfer ? [`color_trc=${transfer}`] : []),
  ];
  return `setparams=${known.join(':')}`;
};
