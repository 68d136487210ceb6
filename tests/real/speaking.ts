/** A clip and a sound with known answers, and what is seen and heard of them in a result. */
import { execa } from 'execa';
import * as assert from 'uvu/assert';
import { h264, makeClip } from './clip.ts';
import { ffmpegPath } from './ffmpeg.ts';
import { portrait } from './talking.ts';

export const FPS = 25;
/** Samples a second that `soundIn` gives. */
export const RATE = 48_000;
/** Each frame's number is its grey in the first corner; under it lies a hum of 300 Hz. */
export const numbered = (path: string, seconds: number) =>
  makeClip(
    path,
    [
      ...['-loop', '1', '-framerate', String(FPS), '-i', portrait],
      ...['-f', 'lavfi', '-i', `nullsrc=s=48x48:r=${FPS},geq=lum='20+4*N':cb=128:cr=128`],
      ...['-f', 'lavfi', '-i', `sine=f=300:r=44100:d=${seconds}`],
    ],
    [
      ...['-filter_complex', '[0]format=yuv420p[a];[a][1]overlay=shortest=1[v]'],
      ...['-map', '[v]', '-map', '2', '-t', String(seconds), ...h264, '-crf', '10', '-c:a', 'aac'],
    ],
  );

/** Grey pictures of a part, one behind the other. */
export const pictures = async (
  path: string,
  width: number,
  height: number,
  x: number,
  y: number,
) => {
  const args = ['-vf', `crop=${width}:${height}:${x}:${y}`, '-f', 'rawvideo', '-pix_fmt', 'gray'];
  const run = ['-nostdin', '-v', 'error', '-i', path, '-fps_mode', 'passthrough', ...args, '-'];
  const { stdout } = await execa(ffmpegPath, run, { encoding: 'buffer', timeout: 60_000 });
  const bytes = width * height;
  return Array.from({ length: stdout.length / bytes }, (_, i) =>
    stdout.subarray(i * bytes, (i + 1) * bytes),
  );
};
export const mean = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
/** What coding alone makes of the pictures used here: 1.5 to 2.1. */
export const CODING = 2.5;
/** The mean difference of two pictures. */
export const apart = (a: Uint8Array = new Uint8Array(), b: Uint8Array = new Uint8Array()): number =>
  mean(Array.from(a, (value, i) => Math.abs(value - (b[i] ?? 0))));
/** Grey is told from 0 to 255, and coded from 16 to 235. */
export const numbersIn = async (path: string): Promise<number[]> =>
  (await pictures(path, 32, 32, 8, 8)).map((grey) => ((mean(grey) * 219) / 255 + 16 - 20) / 4);
export const mouthsIn = (path: string) => pictures(path, 80, 50, 185, 130);
export const foreheadsIn = (path: string) => pictures(path, 80, 30, 185, 40);

/** Samples of the sound, as it is played. */
export const soundIn = async (path: string): Promise<Int16Array> => {
  const args = ['-vn', '-ac', '1', '-ar', String(RATE), '-f', 's16le', '-'];
  const run = ['-nostdin', '-v', 'error', '-i', path, ...args];
  const { stdout } = await execa(ffmpegPath, run, { encoding: 'buffer', timeout: 60_000 });
  return new Int16Array(new Uint8Array(stdout).buffer);
};
/** How much of 300 Hz there is from a time on, for a fifth of a second; of full scale. */
export const humIn = (samples: Int16Array, from: number): number => {
  const [first, count] = [Math.round(from * RATE), 9600];
  let [re, im] = [0, 0];
  for (let i = 0; i < count; i += 1) {
    const angle = (2 * Math.PI * 300 * i) / RATE;
    re += (samples[first + i] ?? 0) * Math.cos(angle);
    im += (samples[first + i] ?? 0) * Math.sin(angle);
  }
  return (2 * Math.hypot(re, im)) / count / 32_768;
};

export const near = (came: number, expected: number | undefined, within: number, what: string) =>
  assert.ok(
    Math.abs(came - (expected ?? Number.NaN)) <= within,
    `${what}: ${expected} expected; ${came} came`,
  );
export const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => (to < from ? from - i : from + i));
