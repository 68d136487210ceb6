import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ImageInfo, VideoInfo } from '../../src/media/info.ts';
import { checkFrames, checkLimits, checkOutputFrames } from '../../src/media/probe/limits.ts';
import { testConfig } from '../real/config.ts';
import { failing } from './failing.ts';
import { oneSecond } from './one-second.ts';

const { limits } = testConfig();

const image = (width: number, height: number): ImageInfo => ({
  kind: 'image',
  size: { width, height },
  alpha: false,
  gray: false,
  format: 'png',
  profile: null,
  metadata: false,
});
const video = (width: number, height: number, mediaSeconds = 1): VideoInfo => ({
  ...oneSecond,
  size: { width, height },
  mediaSeconds,
});

const test = suite('limits');

test('what is just at a limit passes', () => {
  checkLimits(image(8000, 8000), limits, 2, 'png');
  checkLimits(image(8192, 1), limits, 2, 'png');
  checkLimits(video(4096, 2304), limits, 2, 'mp4');
  checkLimits(video(2304, 4096), limits, 2, 'mp4');
  checkLimits(video(64, 64, 600), limits, 8, 'mp4');
});

test('an image of too many pixels is refused', async () => {
  const { message } = await failing(
    () => checkLimits(image(30_000, 30_000), limits, 2, 'png'),
    'resolution_too_large',
  );
  assert.match(message, /64 megapixels.*30000x30000/);
});

test('a video too large in either orientation is refused', async () => {
  for (const [width, height] of [
    [4098, 100],
    [4096, 2306],
    [2306, 4096],
  ] as const) {
    const work = () => checkLimits(video(width, height), limits, 2, 'mp4');
    await failing(work, 'resolution_too_large');
  }
});

test('a video too long is refused, its sound counted', async () => {
  await failing(() => checkLimits(video(64, 64, 600.1), limits, 2, 'mp4'), 'media_too_long');
});

test('a video of too many frames is refused, whatever its length', async () => {
  const of = (frames: number) => ({ ...video(16, 16), frames });
  checkLimits(of(36_000), limits, 2, 'mp4');
  await failing(() => checkLimits(of(36_001), limits, 2, 'mp4'), 'media_too_long');
  checkFrames(18_000, limits.lipsync);
  await failing(() => checkFrames(18_001, limits.lipsync), 'media_too_long');
  checkOutputFrames(18_000, limits.lipsync);
  await failing(() => checkOutputFrames(18_001, limits.lipsync), 'output_too_large');
});

test('ten minutes of the largest video pass at 30 frames a second and not at 60', async () => {
  const of = (frames: number) => ({ ...video(4096, 2304, 600), frames });
  checkLimits(of(18_000), limits, 2, 'mp4');
  await failing(() => checkLimits(of(36_000), limits, 2, 'mp4'), 'output_too_large');
});

test('an output side too long is refused, and what WebP cannot hold', async () => {
  await failing(() => checkLimits(image(8193, 1), limits, 2, 'png'), 'output_too_large');
  await failing(() => checkLimits(video(2100, 100), limits, 4, 'mp4'), 'output_too_large');
  const webp = await failing(
    () => checkLimits(image(1, 8192), limits, 2, 'webp'),
    'output_too_large',
  );
  assert.match(webp.message, /16383 pixels per side as webp/);
});

test.run();
