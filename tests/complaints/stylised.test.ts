/** "It does nothing on drawings." A cartoon made of the photograph, and drawings and a painting where they lie beside the repository. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SHAPE } from '../../src/triton/clients/mouth-plan.ts';
import { makeClip } from '../real/clip.ts';
import { withMedia } from '../real/media.ts';
import { sounds } from '../real/sounds.ts';
import { portrait } from '../real/talking.ts';
import { everyModel, openRig } from './rig.ts';

const test = suite('stylised faces');
const rig = await openRig('stylised');
const SECONDS = 1;
const sound = await sounds.babble(rig.at('sound.wav'), SECONDS);
const cartoon = await makeClip(
  rig.at('cartoon.png'),
  ['-i', portrait],
  [
    '-vf',
    "bilateral=sigmaS=12:sigmaR=0.15,lutrgb='r=trunc(val/28)*28+14:g=trunc(val/28)*28+14:b=trunc(val/28)*28+14',eq=saturation=1.5",
    ...['-frames:v', '1'],
  ],
);

/** How many pixels differ plainly between the frame in which the mouth is to be most open and the one in which it is most shut. */
const opens = async (model: (typeof everyModel)[number], picture: string) => {
  const asked = { options: { motion: false } } as const;
  const { target, plan, framesPassedThrough } = await rig.run(model, picture, sound, asked);
  assert.is(framesPassedThrough, 0);
  const frames = await rig.pictures(target);
  const openings = frames.map((_, i) => plan.targets[i * SHAPE] ?? 0);
  const [most, least] = [Math.max(...openings), Math.min(...openings)];
  const [wide, shut] = [frames[openings.indexOf(most)], frames[openings.indexOf(least)]];
  if (!wide || !shut) throw new Error('no frames');
  let changed = 0;
  for (let i = 1; i < wide.pixels.length; i += 3)
    if (Math.abs((wide.pixels[i] ?? 0) - (shut.pixels[i] ?? 0)) > 30) changed += 1;
  return { asked: most - least, changed, of: wide.width * wide.height };
};

for (const model of everyModel)
  test(`${model}: a cartoon's mouth opens`, async () => {
    const { asked, changed, of } = await opens(model, cartoon);
    assert.ok(asked > 0.05, `asked for ${asked}`);
    assert.ok(changed > of / 1000, `${changed} pixels of ${of}`);
  });

for (const file of [
  'img_3dcartoon_boy_852.jpg',
  'img_anime_girl_512.png',
  'img_illustrated_man_886.png',
  'img_painting_monalisa_720x1280.jpg',
])
  withMedia(test, `the mouth of ${file} opens`, file, async (path) => {
    const { changed, of } = await opens('studio', path);
    assert.ok(changed > of / 2000, `${changed} pixels of ${of}`);
  });

test.after(rig.close);
test.run();
