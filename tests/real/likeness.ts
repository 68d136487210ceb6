/** How alike two clips or pictures are. */
import { execa } from 'execa';
import * as assert from 'uvu/assert';
import { ffmpegPath } from './ffmpeg.ts';

/** Peak signal-to-noise ratio in dB of a region `crop` ("w:h:x:y") of two clips, the least of all frames. */
export const likeness = async (one: string, other: string, crop: string): Promise<number> => {
  const graph = `[0:v]crop=${crop}[a];[1:v]crop=${crop}[b];[a][b]psnr=stats_file=-`;
  const { stdout } = await execa(
    ffmpegPath,
    ['-v', 'error', '-i', one, '-i', other, '-lavfi', graph, '-f', 'null', '-'],
    { timeout: 60_000 },
  );
  const values = [...stdout.matchAll(/psnr_y:(\S+)/g)].map(([, value]) =>
    value === 'inf' ? Number.POSITIVE_INFINITY : Number(value),
  );
  assert.ok(values.length > 0);
  return Math.min(...values);
};

/** The mean difference of bytes of two pictures of one size. */
export const meanDifference = (a: Uint8Array, b: Uint8Array): number => {
  assert.is(a.length, b.length);
  return a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] ?? 0)), 0) / a.length;
};
