/**
 * Speed from the probed files to the finished one, without hooks: a clip of 1280x720 and 25 frames a second, once to warm up
 * and then three times. The load average is reported, since other work on the machine lowers the figure.
 */
import { writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { median } from '../bare.ts';
import { ffmpeg, type Media } from './media.ts';
import type { Run } from './plan.ts';
import { timed } from './run.ts';
import type { Stack } from './stack.ts';

const SECONDS = 12;

/** A paragraph of markdown, empty where the folder has no clip; speed.json has the figures. */
export const speed = async (
  stack: Stack,
  { clips, sounds }: Media,
  dir: string,
): Promise<string> => {
  // A clip whose name has the size in it, if there is one.
  const clip = clips.find(({ name }) => name.includes('1280x720')) ?? clips[0];
  const sound = sounds[0];
  if (!clip || !sound) return '';
  const source = join(dir, 'speed.mp4');
  const fill = 'scale=1280:720:force_original_aspect_ratio=increase,crop=1280:720,fps=25';
  const codec = ['-an', '-c:v', 'libx264', '-crf', '16', '-pix_fmt', 'yuv420p'];
  await ffmpeg([
    ...['-stream_loop', '-1', '-t', `${SECONDS}`, '-i', clip.path],
    ...['-vf', fill, ...codec, source],
  ]);
  const run: Run = {
    name: 'speed',
    role: 'foreign',
    clip: clip.name,
    sound: sound.name,
    source,
    audio: sound.path,
  };
  const paces: number[] = [];
  const peaks: number[] = [];
  for (const turn of [0, 1, 2, 3]) {
    const target = join(dir, `speed${turn}.out.mp4`);
    const { outcome, seconds, peakMib } = await timed(stack, run, target);
    peaks.push(peakMib);
    if (turn > 0) paces.push(outcome.durationSeconds / seconds);
  }
  await writeFile(join(dir, 'speed.json'), JSON.stringify({ median: median(paces), paces, peaks }));
  const figures = paces.map((pace) => pace.toFixed(2)).join(', ');
  return `Speed of ${stack.models.model}, ${clip.name} as 1280x720, 25 fps, ${SECONDS} s, end to end: ${figures} times real time (median ${median(paces).toFixed(2)}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}); this process at most ${Math.max(...peaks)} MiB.\n`;
};
