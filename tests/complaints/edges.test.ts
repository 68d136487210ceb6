/** "One sees a box round the mouth, or the chin in another colour." In dark clips and bright ones, however their codes mean colours. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { h264 } from '../real/clip.ts';
import { sounds } from '../real/sounds.ts';
import { talkingHead } from '../real/talking.ts';
import { rimShift, seam } from './measures.ts';
import { everyModel, openRig } from './rig.ts';

const test = suite('edges of the patch');
const rig = await openRig('edges');
/** Half of what is usual, which shows the mouth at the same times. */
const RATE = 12.5;
const SECONDS = 0.4;
const sound = await sounds.babble(rig.at('sound.wav'), SECONDS);

const tagged = (matrix: string, range: 'tv' | 'pc') => [
  ...[...h264, '-crf', '12', '-colorspace', matrix, '-color_range', range],
];
const into = (matrix: string, range: 'tv' | 'pc') =>
  `scale=out_color_matrix=${matrix}:out_range=${range}`;
const clips: Readonly<Record<string, readonly [filters: string[], codec: string[]]>> = {
  'a clip in BT.601': [[into('smpte170m', 'tv')], tagged('smpte170m', 'tv')],
  'a clip in BT.709': [[into('bt709', 'tv')], tagged('bt709', 'tv')],
  'a clip in full range': [[into('bt709', 'pc')], tagged('bt709', 'pc')],
  'a dark clip': [['eq=brightness=-0.25:contrast=0.6'], [...h264, '-crf', '12']],
  'a bright clip': [['eq=brightness=0.3'], [...h264, '-crf', '12']],
  'a clip in warm light from one side': [
    ["geq=lum='lum(X,Y)*(0.35+0.65*X/W)':cb='cb(X,Y)-8':cr='cr(X,Y)+8'"],
    [...h264, '-crf', '12'],
  ],
};

let count = 0;
for (const [name, [filters, codec]] of Object.entries(clips)) {
  const slow = [...filters, `fps=${RATE}`];
  const clip = await talkingHead(rig.at(`${count++}.mp4`), SECONDS, '480x480', slow, codec);
  for (const model of everyModel)
    test(`${name}, ${model}: no edge and no other colour along the mask's outline`, async () => {
      const { patches } = await rig.run(model, clip, sound);
      assert.is(patches.length, SECONDS * RATE);
      for (const patch of [patches[1], patches[4]]) {
        if (!patch) throw new Error('no patch');
        const shift = rimShift(patch);
        assert.ok(seam(patch) < 0.05, `an edge: ${seam(patch)}`);
        assert.ok(Math.abs(shift[0]) < 1, `luma moved by ${shift[0]}`);
        assert.ok(Math.max(Math.abs(shift[1]), Math.abs(shift[2])) < 0.5, `chroma: ${shift}`);
      }
    });
}

test.after(rig.close);
test.run();
