/** The bare engine's times on the frames of a file, without Triton, HTTP, decoder or encoder. */
import { execa } from 'execa';
import { z } from 'zod';
import type { Size } from '../src/frame.ts';
import { places } from '../src/stack/home.mjs';
import { ffmpegPath } from '../tests/real/ffmpeg.ts';

const Told = z.object({ engine: z.string(), seconds: z.array(z.number()) });

export const bareLoop = async (
  path: string,
  model: string,
  scale: number,
  { width, height }: Size,
) => {
  const decode = ['-v', 'error', '-i', path, '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'];
  const decoded = await execa(ffmpegPath, decode, { encoding: 'buffer', maxBuffer: 2 ** 31 });
  const words = [model, scale, width, height].map(String);
  const { stdout } = await execa(places.python, ['bench/bare_loop.py', ...words, places.weights], {
    input: decoded.stdout,
  });
  return Told.parse(JSON.parse(stdout));
};

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

/** The value below which the share of `values` lies. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

export const tell = (line: Record<string, unknown>): void => console.log(JSON.stringify(line));
