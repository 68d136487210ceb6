/** Several people in one clip, with the real models: who speaks, who is counted, and whose pixels change. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BenchHooks } from '../../../src/operations/lip-sync/bench-hooks.ts';
import { LipsyncOptions, type Speaker } from '../../../src/operations/lip-sync/request.ts';
import { runLipSync } from '../../../src/operations/lip-sync/run.ts';
import { openTransport } from '../../../src/triton/open-transport.ts';
import { failing } from '../../media/failing.ts';
import { h264, makeClip } from '../../real/clip.ts';
import { testConfig } from '../../real/config.ts';
import { likeness } from '../../real/likeness.ts';
import { lipsyncModels } from '../../real/lipsync.ts';
import { withMedia } from '../../real/media.ts';
import { probeBoth } from '../../real/probe-both.ts';
import { tempDir } from '../../real/run.ts';
import { sounds } from '../../real/sounds.ts';
import { cat, portrait } from '../../real/talking.ts';
import { lipsyncNames, realTriton, tritonEnvironment } from '../../real/triton.ts';

const test = suite('speakers');
const dir = tempDir('speakers');
const at = (name: string) => join(dir, name);
const triton = await realTriton(lipsyncNames('fast'));
const config = testConfig(tritonEnvironment(triton));
const transport = await openTransport(config.triton);
const models = await lipsyncModels('fast', transport, config.triton);
const fine = [...h264, '-crf', '14'];
const babble = await sounds.babble(at('babble.wav'), 2);

/** Where the mouth was moved in each frame: the middle of its patch, null where nothing was. */
type Moved = { readonly x: number; readonly y: number } | null;
let count = 0;
const run = async (media: string, speaker?: Speaker) => {
  const moved: Moved[] = [];
  const rendered: BenchHooks['rendered'] = ({ rect, before, after }) => {
    const changed = rect && !after.pixels.equals(before.pixels);
    moved.push(changed ? { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 } : null);
  };
  const name = count++;
  const target = at(`${name}.mp4`);
  const inputs = { media, audio: babble };
  const found = await probeBoth(inputs, config, AbortSignal.timeout(30_000));
  const { lipsync, frames } = await runLipSync({
    inputs,
    found,
    target,
    work: { folder: at(`${name}.work`) },
    models,
    config,
    report: () => {},
    signal: AbortSignal.timeout(120_000),
    hooks: { rendered },
    options: LipsyncOptions.parse({ model: 'fast', ...(speaker && { speaker }) }),
  });
  return { ...lipsync, frames, moved, target };
};
const sides = (moved: readonly Moved[], middle: number) =>
  moved.map((place) => (place ? (place.x < middle ? 'left' : 'right') : null));
const all = (moved: readonly Moved[], side: string | null) => moved.map(() => side);

/** The portrait at 512 and, right of it, at 300 pixels. */
const pair = await makeClip(
  at('pair.mp4'),
  ['-loop', '1', '-framerate', '25', '-t', '0.4', '-i', portrait],
  ['-filter_complex', 'split[a][b];[b]scale=300:300,pad=300:512[c];[a][c]hstack', ...fine],
);

test('only the chosen mouth changes, and both people are counted', async () => {
  const right: Speaker = { frame: 0, x: 512 + 130, y: 75 };
  const { moved, facesDetected, target } = await run(pair, right);
  assert.is(facesDetected, 2);
  assert.equal(sides(moved, 512), all(moved, 'right'));
  const [untouched, spoken] = [
    await likeness(pair, target, '512:512:0:0'),
    await likeness(pair, target, '70:50:605:65'),
  ];
  assert.ok(untouched > 38 && spoken < untouched - 4, `${untouched} dB, at the mouth ${spoken} dB`);
});

test('boxes choose for each frame, and only one mouth moves in any', async () => {
  const [left, right] = [
    [170, 60, 285, 190],
    [612, 35, 679, 111],
  ] as [[number, number, number, number], [number, number, number, number]];
  const boxes = Array.from({ length: 10 }, (_, i) => (i < 5 ? left : right));
  const { moved } = await run(pair, { boxes });
  assert.equal(sides(moved.slice(0, 5), 512), all(moved.slice(0, 5), 'left'));
  assert.equal(sides(moved.slice(5), 512), all(moved.slice(5), 'right'));
});

test('a point finds a face that is smaller than any that is followed by itself', async () => {
  const graph = [
    '[0]split=9[z][a][b][c][d][e][f][g][h]',
    ...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(
      (name) => `[${name}]crop=200:220:130:10[${name}1]`,
    ),
    '[a1][b1][c1][d1][e1][f1][g1][h1]xstack=inputs=8:layout=0_0|200_0|400_0|600_0|0_220|200_220|400_220|600_220[crowd]',
    '[z]crop=200:220:130:10,scale=96:-2,pad=800:140:600:10[small]',
    '[crowd][small]vstack',
  ].join(';');
  const crowd = await makeClip(
    at('crowd.mp4'),
    ['-loop', '1', '-framerate', '25', '-t', '0.4', '-i', portrait],
    ['-filter_complex', graph, ...fine],
  );
  const { moved, facesDetected } = await run(crowd, { frame: 2, x: 646, y: 440 + 10 + 56 });
  assert.ok((facesDetected ?? 0) >= 8, `${facesDetected}`);
  assert.is(moved.length, 10);
  for (const place of moved.slice(3)) assert.ok(place && place.y > 440 && place.x > 600);
});

test('the face of a cat is not found, neither in a clip nor in a box round it', async () => {
  const clip = await makeClip(
    at('cat.mp4'),
    ['-loop', '1', '-framerate', '25', '-t', '0.4', '-i', cat],
    ['-vf', 'crop=450:300', ...fine],
  );
  await failing(run(clip), 'no_face_detected');
  const boxes: [number, number, number, number][] = Array.from({ length: 10 }, () => [
    130, 20, 330, 240,
  ]);
  await failing(run(clip, { boxes }), 'no_face_detected');
  await failing(run(cat, { boxes }), 'no_face_detected');
});

const still = (path: string) => ['-loop', '1', '-framerate', '25', '-i', path];
const square = (side: number) =>
  `fps=25,scale=${side}:${side}:force_original_aspect_ratio=increase,crop=${side}:${side}:(iw-${side})/2:0,setsar=1`;

withMedia(
  test,
  'who talks speaks, though the other one is larger',
  'vid_woman_flag_590.mp4',
  async (path) => {
    const face = await makeClip(
      at('man.png'),
      ['-ss', '1', '-i', join(path, '../vid_man_suit_700_vfr22.mp4')],
      ['-frames:v', '1'],
    );
    const clip = await makeClip(
      at('talks.mp4'),
      [...still(face), '-i', path],
      [
        '-filter_complex',
        `[0]${square(480)}[a];[1]${square(320)},pad=320:480[b];[a][b]hstack=shortest=1`,
        ...['-map', '1:a', '-t', '3', ...fine],
      ],
    );
    const { moved, facesDetected } = await run(clip);
    assert.is(facesDetected, 2);
    assert.equal(sides(moved, 480), all(moved, 'right'));
    const other = await run(clip, { frame: 10, x: 240, y: 240 });
    assert.equal(sides(other.moved, 480), all(other.moved, 'left'));
  },
);

withMedia(
  test,
  'after a cut to somebody else and back the same person speaks',
  'vid_woman_flag_590.mp4',
  async (path) => {
    const graph = `[0]${square(360)},trim=end_frame=20[a];[1]${square(360)},trim=end_frame=10[b];[2]${square(360)},trim=end_frame=20,setpts=PTS-STARTPTS[c];[a][b][c]concat=n=3`;
    const man = join(path, '../vid_man_suit_700_vfr22.mp4');
    const clip = await makeClip(
      at('cuts.mp4'),
      ['-i', path, '-i', man, '-ss', '2', '-i', path],
      [...['-filter_complex', graph, '-an', ...fine]],
    );
    const { moved, facesDetected } = await run(clip);
    assert.is(facesDetected, 2);
    const speaks = moved.map((place) => place !== null);
    assert.equal(
      speaks.slice(20, 30),
      Array.from({ length: 10 }, () => false),
    );
    assert.ok(speaks.slice(0, 17).every(Boolean) && speaks.slice(34).every(Boolean), `${speaks}`);
  },
);

test.after(async () => {
  await transport.close();
  await triton.close();
});
test.run();
