/** "One frame without a face, and the whole job fails." The face leaves, comes back, and the picture fades. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sounds } from '../real/sounds.ts';
import { talkingHead } from '../real/talking.ts';
import { everyModel, openRig } from './rig.ts';

const test = suite('frames without a face');
const rig = await openRig('away');
const SECONDS = 1;
const sound = await sounds.babble(rig.at('sound.wav'), SECONDS);
const black = (from: number, to: number) =>
  `drawbox=x=0:y=0:w=480:h=480:color=black:t=fill:enable='between(n,${from},${to})'`;

const clips: Readonly<Record<string, readonly [filter: string, without: readonly number[]]>> = {
  'that begins in black': [black(0, 5), range(0, 5)],
  'with black frames in the middle': [black(10, 13), range(10, 13)],
  'that fades to black': ['fade=out:st=0.6:d=0.3', range(23, 24)],
  'whose face is gone at the end': [black(18, 24), range(18, 24)],
};

let count = 0;
for (const [name, [filter, without]] of Object.entries(clips)) {
  const clip = await talkingHead(rig.at(`${count++}.mp4`), SECONDS, '480x480', [filter]);
  for (const model of name.includes('fades') ? everyModel : (['balanced'] as const))
    test(`${model}: a clip ${name} is done, as long as it was`, async () => {
      const { frames, patches, framesPassedThrough } = await rig.run(model, clip, sound);
      assert.is(frames, 25);
      const spoken = patches.map(({ index }) => index);
      for (const index of without) assert.not.ok(spoken.includes(index), `${index} has no face`);
      assert.ok(framesPassedThrough >= without.length && framesPassedThrough < 20);
      assert.ok(spoken.length >= 8, `${spoken.length} frames with a mouth`);
    });
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

test.after(rig.close);
test.run();
