/** A face and a voice that tests may use: the portrait in scikit-image's wheel, and ffmpeg's own speech synthesis. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { places } from '../../src/stack/home.mjs';
import { h264, makeClip } from './clip.ts';
import { ffmpegPath } from './ffmpeg.ts';

const lib = join(places.venv, 'lib');
const python = readdirSync(lib).find((name) => name.startsWith('python')) ?? '';

const pictures = join(lib, python, 'site-packages/skimage/data');
/** 512x512, one frontal, smiling face: Eileen Collins, NASA, public domain. */
export const portrait = join(pictures, 'astronaut.png');
/** 451x300, the face of a cat from near: CC0. */
export const cat = join(pictures, 'chelsea.png');

/** A clip of that face, slowly sliding, without sound; `filters` and `codec` are ffmpeg's. */
export const talkingHead = (
  path: string,
  seconds: number,
  size = '480x480',
  filters: readonly string[] = [],
  codec: readonly string[] = [...h264, '-crf', '16'],
): Promise<string> => {
  const [width, height] = size.split('x');
  const slide = `crop=${width}:${height}:x='min(24,8+2*t)':y='8+4*sin(2*t)'`;
  return makeClip(
    path,
    ['-loop', '1', '-framerate', '25', '-i', portrait, '-t', String(seconds)],
    ['-vf', [slide, ...filters].join(','), ...codec],
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
