/** "The mouth is blurred as soon as the face is large." */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { h264, makeClip } from '../real/clip.ts';
import { sounds } from '../real/sounds.ts';
import { portrait } from '../real/talking.ts';
import { sharpness } from './measures.ts';
import { everyModel, openRig } from './rig.ts';

const test = suite('sharpness of large faces');
const rig = await openRig('sharp');
/** Half of what is usual: two frames, and the second one 80 ms after the first. */
const RATE = 12.5;
const SECONDS = 0.16;

/** The face as wide as a quarter of the picture, with skin pores: a fine grain that does not change between frames. */
const large = (name: string, [width, height]: readonly [number, number]) =>
  makeClip(
    rig.at(name),
    ['-loop', '1', '-framerate', String(RATE), '-i', portrait, '-t', String(SECONDS)],
    [
      '-vf',
      `crop=448:252:0:30,scale=${width}:${height}:flags=lanczos,noise=c0s=14:c0_seed=3,format=yuv420p`,
      ...[...h264, '-crf', '10'],
    ],
  );
const sound = await sounds.babble(rig.at('sound.wav'), SECONDS);
const clips = {
  '1080p': await large('1080p.mp4', [1920, 1080]),
  '4K': await large('4k.mp4', [3840, 2160]),
};
const least = { fast: 0.8, balanced: 0.9, studio: 0.95 };

for (const [size, clip] of Object.entries(clips))
  for (const model of everyModel)
    test(`${model}: lips and chin in ${size} are as sharp as they were`, async () => {
      const { patches, framesPassedThrough } = await rig.run(model, clip, sound);
      assert.equal([patches.length, framesPassedThrough], [2, 0]);
      const patch = patches[1];
      if (!patch) throw new Error('no patch');
      const { before, after, mask } = patch;
      const under = (x: number, y: number) => (mask[y * before.width + x] ?? 0) > 128;
      const ratio = sharpness(after, under) / sharpness(before, under);
      assert.ok(ratio >= least[model], `${ratio.toFixed(2)} of the source's`);
    });

test.after(rig.close);
test.run();
