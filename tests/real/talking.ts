/** A face and a voice that tests may use: the portrait in scikit-image's wheel, and ffmpeg's own speech synthesis. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { places } from '../../src/stack/home.mjs';
import { makeClip } from './clip.ts';
import { ffmpegPath } from './ffmpeg.ts';

const lib = join(places.venv, 'lib');
const python = readdirSync(lib).find((name) => name.startsWith('python')) ?? '';

/** 512x512, one frontal, smiling face: Eileen Collins, NASA, public domain. */
export const portrait = join(lib, python, 'site-packages/skimage/data/astronaut.png');

/** A clip of that face, slowly sliding, in H.264 without sound. */
export const talkingHead = (path: string, seconds: number, size = '480x480'): Promise<string> => {
  const [width, height] = size.split('x');
  const slide = `crop=${width}:${height}:x='min(24,8+2*t)':y='8+4*sin(2*t)'`;
  return makeClip(
    path,
    ['-loop', '1', '-framerate', '25', '-i', portrait, '-t', String(seconds)],
    ['-vf', slide, '-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '16', '-pix_fmt', 'yuv420p'],
  );
};

/** Whether the ffmpeg at hand has the voice. */
export const hasVoice = async (): Promise<boolean> =>
  (await execa(ffmpegPath, ['-hide_banner', '-filters'])).stdout.includes(' flite ');

/** A sentence of about 3 s, spoken by flite's voice. */
export const spoken = (path: string, seconds?: number): Promise<string> =>
  makeClip(
    path,
    ['-f', 'lavfi', '-i', "flite=text='Bob made a big map of my house, and we moved.':voice=slt"],
    seconds === undefined ? [] : ['-t', String(seconds)],
  );
