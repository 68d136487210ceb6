/** Clips with a known answer, made by ffmpeg's own generators, and what an independent look at a file says. */
import { readFile, writeFile } from 'node:fs/promises';
import { execa } from 'execa';
import { ffmpegPath } from './ffmpeg.ts';

/** Within five minutes: a bench makes that much of 1080p. */
const run = (args: readonly string[]) =>
  execa(ffmpegPath, ['-hide_banner', '-nostdin', '-y', ...args], { timeout: 300_000 });

/** Makes a clip of 64x48 test pattern: `source` and `output` are ffmpeg arguments of the two sides. */
export const makeClip = async (
  path: string,
  source: readonly string[],
  output: readonly string[] = [],
) => {
  await run([...source, ...output, path]);
  return path;
};

export const pattern = (seconds: number, fps: string | number = 25, size = '64x48'): string[] => [
  ...['-f', 'lavfi'],
  ...['-i', `testsrc2=size=${size}:rate=${fps}:duration=${seconds}`],
];
export const tone = (seconds: number): string[] => [
  ...['-f', 'lavfi'],
  ...['-i', `sine=frequency=440:sample_rate=48000:duration=${seconds}`],
];
export const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];

/** Writes a copy of an MP4 whose header says: show it turned by a quarter, as phones do. */
export const turn = async (path: string, target: string): Promise<string> => {
  const bytes = await readFile(path);
  // ISO 14496-12, 8.3.2: the matrix stands 40 bytes behind the type of a version 0 track header.
  const matrix = bytes.indexOf('tkhd') + 4 + 40;
  const [one, minusOne, unity] = [0x0001_0000, -0x0001_0000, 0x4000_0000];
  for (const [i, value] of [0, one, 0, minusOne, 0, 0, 0, 0, unity].entries())
    bytes.writeInt32BE(value, matrix + 4 * i);
  await writeFile(target, bytes);
  return target;
};

/** Presentation times in seconds of a stream's packets, in order of showing. */
export const timesOf = async (path: string, stream = 'v:0'): Promise<number[]> => {
  const { stdout } = await run([
    '-i',
    path,
    '-map',
    `0:${stream}`,
    '-c',
    'copy',
    '-f',
    'framecrc',
    '-',
  ]);
  const base = /^#tb 0: (\d+)\/(\d+)/m.exec(stdout);
  const tick = Number(base?.[1]) / Number(base?.[2]);
  const packets = stdout.split('\n').filter((line) => /^\d/.test(line));
  return packets.map((line) => Number(line.split(',')[2]) * tick).sort((a, b) => a - b);
};

/** ffmpeg's own description of a file. */
export const bannerOf = async (path: string): Promise<string> =>
  (await run(['-i', path, '-t', '0', '-f', 'null', '-'])).stderr;

/** The MD5 of a stream's packets as they lie in the file. */
export const packetsOf = async (path: string, stream: string): Promise<string> => {
  const { stdout } = await run(['-i', path, '-map', `0:${stream}`, '-c', 'copy', '-f', 'md5', '-']);
  return stdout.trim();
};

/** Frame `index` as RGB bytes. */
export const frameOf = async (path: string, index: number): Promise<Uint8Array> => {
  const { stdout } = await execa(
    ffmpegPath,
    [
      '-nostdin',
      '-v',
      'error',
      '-i',
      path,
      '-vf',
      `select=eq(n\\,${index})`,
      '-frames:v',
      '1',
      '-f',
      'rawvideo',
      '-pix_fmt',
      'rgb24',
      '-',
    ],
    { encoding: 'buffer', timeout: 30_000 },
  );
  return stdout;
};
