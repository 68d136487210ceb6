import type { Config } from '../config.ts';
import { inTime } from './deadline.ts';
import { fileInput, startFfmpeg } from './ffmpeg.ts';
import type { AudioInfo, VideoInfo } from './info.ts';

/** Samples a second of all sound that a model hears. */
export const HEARD_RATE = 16_000;

/** The sound of a file as the models hear it, from its first sample on: 16 kHz, mono, -1..1. Throws media_unreadable. */
export const decodeAudio = (
  path: string,
  info: AudioInfo,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): Promise<Float32Array> =>
  hear([...fileInput(path, info.container), '-af', `asetpts=N/SR/TB,${HEARD}`], ffmpeg, signal);

/**
 * The first sound track of a video in the same form, on the clock of its pictures: sample 0 belongs to the time
 * `from`, that of the first picture, and what has no sound is silence. Empty when the video has no sound.
 */
export const decodeOwnAudio = async (
  path: string,
  info: VideoInfo,
  from: number,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): Promise<Float32Array> => {
  const [track] = info.audio;
  if (!track) return new Float32Array();
  const filters = ['-map', `0:a:${track.index}`, '-af', `${HEARD}:async=1:first_pts=0`];
  const all = await hear([...fileInput(path, info.container), ...filters], ffmpeg, signal);
  return all.subarray(Math.round(from * HEARD_RATE));
};

const HEARD = `aresample=${HEARD_RATE}`;

const hear = (
  args: readonly string[],
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): Promise<Float32Array> =>
  inTime(signal, async (either) => {
    const output = ['-ac', '1', '-c:a', 'pcm_f32le', '-f', 'f32le', 'pipe:1'];
    const child = startFfmpeg(ffmpeg, ['-threads', '1', ...args, ...output], either);
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of child.stdout) chunks.push(chunk);
      await child.ended();
      either.throwIfAborted();
      return floatsOf(chunks);
    } finally {
      await child.stop();
    }
  });

/** In memory of its own, where numbers of four bytes may lie. */
const floatsOf = (chunks: readonly Buffer[]): Float32Array => {
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
  const samples = new Float32Array(Math.floor(bytes / 4));
  const view = Buffer.from(samples.buffer);
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(view, at);
  return samples;
};
