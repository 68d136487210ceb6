/** Configurations for tests. */
import { type Config, loadConfig } from '../../src/config.ts';
import { operations as all } from '../../src/operations/all.ts';
import { places } from '../../src/stack/home.mjs';
import { ffmpegPath, ffprobePath } from './ffmpeg.ts';

/** Variables of a valid configuration: secrets that guard nothing, and the real ffmpeg. */
export const testEnvironment = <T extends NodeJS.Dict<string>>(settings: T) => ({
  KEY_PEPPER: 'pepper-of-the-tests',
  SIGNING_SECRET: 'secret-of-the-tests',
  ADMIN_KEY: 'admin-key-of-the-tests',
  WORKER_DRAIN_SECONDS: '3',
  API_DRAIN_SECONDS: '3',
  FFMPEG: ffmpegPath,
  FFPROBE: ffprobePath,
  PROVENANCE_PYTHON: places.python,
  ...settings,
});

export const testConfig = (settings: NodeJS.Dict<string> = {}, operations = all): Config =>
  loadConfig(testEnvironment(settings), operations);
