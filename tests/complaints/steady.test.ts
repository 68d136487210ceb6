/** "The mouth trembles; the teeth flash." In a picture that does not move, all motion is the pipeline's. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { correlation } from '../../src/operations/lip-sync/faces/lips.ts';
import { SHAPE } from '../../src/triton/clients/mouth-plan.ts';
import { h264, makeClip } from '../real/clip.ts';
import { skip } from '../real/skip.ts';
import { sounds } from '../real/sounds.ts';
import { hasVoice, portrait, spoken } from '../real/talking.ts';
import { openingOf, trembling } from './measures.ts';
import { everyModel, openRig } from './rig.ts';

const test = suite('steadiness');
const rig = await openRig('steady');
const still = (name: string, seconds: number) =>
  makeClip(
    rig.at(name),
    ['-loop', '1', '-framerate', '25', '-i', portrait, '-t', String(seconds)],
    [...h264, '-crf', '8'],
  );

const quiet = await sounds.silence(rig.at('quiet.wav'), 1);
const second = await still('second.mp4', 1);
for (const model of everyModel)
  test(`${model}: a face at rest that does not move does not flicker`, async () => {
    const { target } = await rig.run(model, second, quiet);
    const frames = await rig.pictures(target);
    assert.is(frames.length, 25);
    // Where mouth and chin are.
    let worst = 0;
    for (const [i, { pixels }] of frames.slice(1).entries())
      for (let y = 100; y < 220; y += 1)
        for (let x = 150; x < 300; x += 1) {
          const at = (y * 512 + x) * 3 + 1;
          worst = Math.max(worst, Math.abs((pixels[at] ?? 0) - (frames[i]?.pixels[at] ?? 0)));
        }
    assert.ok(worst <= 8, `a pixel jumps by ${worst}`);
  });

if (await hasVoice()) {
  const voice = await spoken(rig.at('voice.wav'), 2);
  const clip = await still('two.mp4', 2);
  for (const model of everyModel)
    test(`${model}: the mouth moves as was planned, no rougher`, async () => {
      const { target, plan } = await rig.run(model, clip, voice);
      const seen = (await rig.faces(target)).map((mesh) => (mesh ? openingOf(mesh) : Number.NaN));
      const asked = seen.map((_, i) => plan.targets[i * SHAPE] ?? 0);
      const r = correlation(asked, seen);
      const rough = trembling(seen) / trembling(asked);
      assert.ok(r > 0.95, `asked against seen r ${r}`);
      assert.ok(rough < 1.2, `${rough.toFixed(2)} times as rough as planned`);
    });
} else skip(test, 'the mouth moves as was planned', 'ffmpeg with flite');

test.after(rig.close);
test.run();
