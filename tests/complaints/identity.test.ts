/** "It is not her any more: thick lips, another colour." The same lips, shut and speaking, against those of the source. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Picture } from '../../src/frame.ts';
import { skip } from '../real/skip.ts';
import { sounds } from '../real/sounds.ts';
import { hasVoice, spoken, talkingHead } from '../real/talking.ts';
import { mean, outlines, thicknessOf } from './measures.ts';
import { everyModel, openRig } from './rig.ts';

const test = suite('identity');
const rig = await openRig('identity');
const clip = await talkingHead(rig.at('clip.mp4'), 1);
const sourceFaces = await rig.faces(clip);
const sourcePictures = await rig.pictures(clip);

/** Codes of RGB: 3.0 to 3.5 as measured. A smile's lips are stretched, and paler than shut ones. */
const FURTHEST = 6;

/** Mean RGB of the red of the lips, beside the line where they meet. */
const redOf = ({ width, height, pixels }: Picture, mesh: Float32Array): number[] => {
  const { besideTheLine } = outlines(mesh);
  const sum = [0, 0, 0, 0];
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      if (besideTheLine(x, y)) {
        for (const at of [0, 1, 2])
          sum[at] = (sum[at] ?? 0) + (pixels[(y * width + x) * 3 + at] ?? 0);
        sum[3] = (sum[3] ?? 0) + 1;
      }
  return sum.slice(0, 3).map((value) => value / (sum[3] ?? 1));
};

const compared = async (path: string) => {
  const [faces, pictures] = [await rig.faces(path), await rig.pictures(path)];
  const thick: number[] = [];
  const apart: number[] = [];
  for (const [i, mesh] of faces.entries()) {
    if (i % 4 !== 2) continue;
    const [was, before, after] = [sourceFaces[i], sourcePictures[i], pictures[i]];
    if (!mesh || !was || !before || !after) throw new Error(`frame ${i} has no face`);
    thick.push(thicknessOf(mesh) / thicknessOf(was));
    const [one, other] = [redOf(before, was), redOf(after, mesh)];
    apart.push(Math.hypot(...one.map((value, at) => value - (other[at] ?? 0))));
  }
  return { thick, apart };
};

const silent = await sounds.silence(rig.at('silent.wav'), 1);
const voice = (await hasVoice()) ? await spoken(rig.at('voice.wav'), 1) : null;
for (const [what, sound] of [
  ['shut', silent],
  ['speaking', voice],
] as const)
  for (const model of everyModel) {
    const name = `${model}: ${what} lips are as thick and as red as the subject's`;
    if (!sound) {
      skip(test, name, 'ffmpeg with flite');
      continue;
    }
    test(name, async () => {
      const { thick, apart } = await compared((await rig.run(model, clip, sound)).target);
      assert.ok(mean(thick) > 0.75 && mean(thick) < 1.35, `${mean(thick)} times as thick`);
      assert.ok(
        mean(apart) < (what === 'shut' ? FURTHEST : 25),
        `the colour is ${mean(apart)} codes away`,
      );
    });
  }

test.after(rig.close);
test.run();
