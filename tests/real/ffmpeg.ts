/** The ffmpeg and ffprobe that the service uses: FFMPEG and FFPROBE where they are set, else what the set-up chose. */
import { existsSync } from 'node:fs';
import { places } from '../../src/stack/home.mjs';

const found = (name: 'FFMPEG' | 'FFPROBE', path: string): string => {
  const set = process.env[name];
  if (!set && !existsSync(path)) throw new Error(`${path} is missing: run npm run setup`);
  return set ?? path;
};

export const ffmpegPath = found('FFMPEG', places.ffmpeg);
export const ffprobePath = found('FFPROBE', places.ffprobe);
