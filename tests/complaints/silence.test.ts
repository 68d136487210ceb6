/** "The mouth moves, or stays open, though nothing is said." */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeClip } from '../real/clip.ts';
import { skip } from '../real/skip.ts';
import { sounds } from '../real/sounds.ts';
import { hasVoice, spoken, talkingHead } from '../real/talking.ts';
import { deviation, openingOf } from './measures.ts';
import { everyModel, openRig } from './rig.ts';

const test = suite('silence');
const rig = await openRig('silence');
/** A smile that shows its teeth: the mouth has to be shut. */
const smile = await talkingHead(rig.at('smile.mp4'), 1);
/** In outer-eye distances: the opening that the mesh network reports for lips that touch, and a margin. */
const SHUT = 0.05;
/** The largest standard deviation of the opening in silence, as a share of that in speech. */
const most = { fast: 0.15, balanced: 0.15, studio: 0.1 };

const openings = async (path: string): Promise<number[]> =>
  (await rig.faces(path)).map((mesh) => (mesh ? openingOf(mesh) : Number.NaN));

for (const kind of ['silence', 'noise', 'hum'] as const) {
  const sound = await sounds[kind](rig.at(`${kind}.wav`), 1);
  // All models share the network that detects speech.
  for (const model of kind === 'silence' ? everyModel : (['fast'] as const))
    test(`${model}: ${kind} keeps the mouth shut and still`, async () => {
      const { target, framesPassedThrough } = await rig.run(model, smile, sound);
      assert.is(framesPassedThrough, 0);
      const seen = await openings(target);
      assert.is(seen.length, 25);
      assert.ok(Math.max(...seen) < SHUT, `open by ${Math.max(...seen)}`);
      assert.ok(deviation(seen) < 0.01, `moves by ${deviation(seen)}`);
    });
}

/** A sentence, a second of nothing, the sentence again. */
const withPause = async () => {
  const voice = await spoken(rig.at('voice.wav'), 1.4);
  const twice = '[0]asplit[x][y];[x]apad=pad_dur=1[a];[a][y]concat=v=0:a=1';
  return makeClip(rig.at('paused.wav'), ['-i', voice], ['-filter_complex', twice]);
};
if (await hasVoice()) {
  const sound = await withPause();
  const clip = await talkingHead(rig.at('long.mp4'), 3.8);
  const unmoved = await openings(clip);
  const within = (from: number, to: number, all: readonly number[]) =>
    all.slice(from * 25, to * 25);
  for (const model of everyModel)
    test(`${model}: between two sentences the mouth rests, and in them it moves`, async () => {
      const seen = await openings((await rig.run(model, clip, sound)).target);
      const quiet = within(1.7, 2.15, seen);
      const said = [...within(0.1, 1.3, seen), ...within(2.5, 3.7, seen)];
      // The head sways, and a mesh on it trembles a little though the lips rest.
      const tremble = deviation(within(1.7, 2.15, unmoved));
      const ratio = Math.max(0, deviation(quiet) - tremble) / deviation(said);
      assert.ok(deviation(said) > 0.02, `moves by ${deviation(said)} only`);
      assert.ok(ratio <= most[model], `${ratio.toFixed(3)} of the motion in speech`);
      assert.ok(Math.max(...quiet) < SHUT, `open by ${Math.max(...quiet)}`);
    });
} else skip(test, 'between two sentences the mouth rests', 'ffmpeg with flite');

test.after(rig.close);
test.run();
