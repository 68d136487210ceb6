/** What flickers in enlarged videos is calmed on the way to the encoder, and nothing else is. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { YuvFrame } from '../../../src/frame.ts';
import { encodePart } from '../../../src/media/write/encode.ts';
import { calmingOf } from '../../../src/operations/upscale/calm.ts';
import { UpscaleModel } from '../../../src/operations/upscale/request.ts';
import { at, decode, ffmpeg, probe, soon } from '../../media/clips.ts';
import { makeClip, pattern } from '../../real/clip.ts';

const test = suite('calm');
const format = await probe(await makeClip(at('format.mp4'), pattern(0.2), ['-c:v', 'libx264']));
const [width, height] = [96, 64];

type Drawing = (x: number, y: number, index: number) => number;
const frame = (drawing: Drawing, index: number, time: number, duration: number): YuvFrame => {
  const pixels = Buffer.alloc(width * height * 1.5, 128);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) pixels[y * width + x] = drawing(x, y, index);
  return { width, height, pixels, index, time, duration };
};

/** The luma of the frames, behind the encoder; lossless. */
const encoded = async (
  drawing: Drawing,
  { filters, times }: { filters: readonly string[]; times: readonly number[] },
) => {
  const target = at(`${filters.length}-${times.length}.mp4`);
  async function* frames() {
    for (const [index, time] of times.entries())
      yield frame(drawing, index, time, (times[index + 1] ?? time + 0.04) - time);
  }
  const output = { lossless: true };
  await encodePart(frames(), { format, target, output, filters, ffmpeg, signal: soon() });
  const got = await decode(target);
  return got.map(({ time, pixels }) => ({
    time,
    green: (x: number, y: number) => pixels[(y * width + x) * 3 + 1] ?? 0,
  }));
};
const steady = Array.from({ length: 12 }, (_, i) => i * 0.04);

/** How much a place changes from frame to frame, squared, on average. */
const unrest = (frames: Awaited<ReturnType<typeof encoded>>): number => {
  let sum = 0;
  let count = 0;
  for (const [i, { green }] of frames.slice(1).entries())
    for (let y = 8; y < height - 8; y += 1)
      for (let x = 8; x < width - 8; x += 1) {
        sum += (green(x, y) - (frames[i]?.green(x, y) ?? 0)) ** 2;
        count += 1;
      }
  return sum / count;
};

/** As the rounding of compression: by up to a level, in another way in each frame and block. */
const flickering: Drawing = (x, y, index) =>
  120 + (((x >> 3) * 7 + (y >> 3) * 13 + index * 5) % 3) - 1;
const block: Drawing = (x, y, index) => (Math.hypot(x - 20 - 5 * index, y - 32) < 12 ? 210 : 60);
const brightening: Drawing = (_x, _y, index) => 60 + 3 * index;

for (const model of UpscaleModel.options) {
  const filters = calmingOf({ model, scale: 2, denoise: 'auto' });

  test(`${model}: what flickers by a level where nothing moves does so by less than half`, async () => {
    const before = unrest(await encoded(flickering, { filters: [], times: steady }));
    const after = unrest(await encoded(flickering, { filters, times: steady }));
    assert.ok(before > 0.5, `made to flicker by ${before}`);
    assert.ok(after < before / 2, `${after.toFixed(2)} of ${before.toFixed(2)}`);
  });

  for (const [says, drawing] of Object.entries({ 'what moves': block, 'a fade': brightening }))
    test(`${model}: ${says} stays as it is, within two levels`, async () => {
      const before = await encoded(drawing, { filters: [], times: steady });
      const after = await encoded(drawing, { filters, times: steady });
      let worst = 0;
      for (const [i, { green }] of after.entries())
        for (let y = 0; y < height; y += 1)
          for (let x = 0; x < width; x += 1)
            worst = Math.max(worst, Math.abs(green(x, y) - (before[i]?.green(x, y) ?? 0)));
      assert.ok(worst <= 2, `off by ${worst}`);
    });

  for (const times of [[0], [0, 0.04], [0, 0.04, 0.2, 0.24, 0.5, 0.54, 0.6]])
    test(`${model}: all ${times.length} frames are there, at their times`, async () => {
      const frames = await encoded(block, { filters, times });
      assert.equal(
        frames.map(({ time }) => Number(time.toFixed(3))),
        times,
      );
    });
}

test('who asks for nothing to be taken away, and jobs of before there was a choice, get it as it is', () => {
  assert.equal(calmingOf({ model: 'photo', scale: 2, denoise: 'off' }), []);
  assert.equal(calmingOf({ model: 'animation', scale: 2 }), []);
});

test.run();
