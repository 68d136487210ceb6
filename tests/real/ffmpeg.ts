/** The ffmpeg that the service uses: FFMPEG when it is set, else what the set-up chose. */
import { existsSync } from 'node:fs';
import { places } from '../../src/stack/home.mjs';

export const ffmpegPath = process.env.FFMPEG ?? places.ffmpeg;
if (!process.env.FFMPEG && !existsSync(ffmpegPath))
  throw new Error(`${ffmpegPath} is missing: run npm run setup`);
