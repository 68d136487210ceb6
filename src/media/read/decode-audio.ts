import type { Config } from '../../config.ts';
import { fileInput, startFfmpeg } from '../ffmpeg.ts';
import type { AudioInfo, VideoInfo } from '../info.ts';
import { checkDecoded, decodeFailed } from '../outcome.ts';
import { inTime } from '../probe/deadline.ts';

/** Samples a second of all sound that a model hears. */
export const HEARD_RATE = 16_000;

/** A sound that turns out longer than it was measured is heard for so long more. */
const MARGIN_SECONDS = 1;

/**
 * The sound of a file as the models hear it, from its first sample on: 16 kHz, mono, -1..1. Throws media_unreadable,
 * and decode_failed where the decoder does not come to its end.
 */
export const decodeAudio = (
  path: string,
  info: AudioInfo,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): Promise<Float32Array> =>
  hear(
    [...fileInput(path, info.container), '-map', '0:a:0', '-af', `asetpts=N/SR/TB,${HEARD}`],
    info.durationSeconds + MARGIN_SECONDS,
    ffmpeg,
    signal,
  );

/**
 * The first sound track of a video in the same form, on the clock of its pictures: sample 0 belongs to the time
 * `from`, that of the first picture, and what has no sound is silence; what goes on after the last is not heard.
 * Empty when the video has no sound.
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
  const input = [...fileInput(path, info.container), ...filters];
  const most = from + info.durationSeconds + MARGIN_SECONDS;
  const all = await hear(input, most, ffmpeg, signal);
  return all.subarray(Math.round(from * HEARD_RATE));
};

const HEARD = `aresample=${HEARD_RATE}`;

const hear = (
  args: readonly string[],
  mostSeconds: number,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): Promise<Float32Array> => {
  const read = async (either: AbortSignal): Promise<Float32Array> => {
    const output = ['-ac', '1', '-c:a', 'pcm_f32le', '-f', 'f32le', 'pipe:1'];
    const child = startFfmpeg(ffmpeg, ['-threads', '1', ...args, ...output], either);
    try {
      const most = 4 * Math.ceil(mostSeconds * HEARD_RATE);
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of child.stdout) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > most) return floatsOf(chunks).subarray(0, most / 4);
      }
      const ended = await child.ended();
      either.throwIfAborted();
      checkDecoded(ended, bytes > 0);
      return floatsOf(chunks);
    } finally {
      await child.stop();
    }
  };
  return inTime(signal, read, decodeFailed);
};

/** In memory of its own, where numbers of four bytes may lie. */
const floatsOf = (chunks: readonly Buffer[]): Float32Array => {
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
  const samples = new Float32Array(Math.floor(bytes / 4));
  const view = Buffer.from(samples.buffer);
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(view, at);
  return samples;
};
