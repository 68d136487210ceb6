/** Mouths lent from frame to frame, by the real models. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { YuvFrame } from '../../../src/frame.ts';
import type { Watch } from '../../../src/operations/lip-sync/bench-hooks.ts';
import { borrow } from '../../../src/operations/lip-sync/plan/lenders.ts';
import { cut, meshIn, patchOf } from '../../../src/operations/lip-sync/render/patch.ts';
import { type LipsyncModel, LipsyncOptions } from '../../../src/operations/lip-sync/request.ts';
import { lipSync } from '../../../src/operations/lip-sync/run.ts';
import { openLipsync } from '../../../src/triton/clients/lipsync.ts';
import { SHAPE } from '../../../src/triton/clients/mouth-plan.ts';
import { openControl } from '../../../src/triton/protocol/control.ts';
import { openTransport } from '../../../src/triton/protocol/transport.ts';
import { testConfig } from '../../real/config.ts';
import { tempDir } from '../../real/run.ts';
import { sounds } from '../../real/sounds.ts';
import { talkingHead } from '../../real/talking.ts';
import { lipsyncNames, realTriton, tritonEnvironment } from '../../real/triton.ts';

const test = suite('lenders');
const dir = tempDir('lenders');
const triton = await realTriton(lipsyncNames('balanced', 'fast'));
const config = testConfig(tritonEnvironment(triton));
const transport = await openTransport(config.triton);
const signal = AbortSignal.timeout(300_000);
const open = (model: LipsyncModel) => openLipsync(model, transport, openControl(config.triton));
const balanced = await open('balanced');
const fast = await open('fast');

const audio = await sounds.babble(join(dir, 'babble.wav'), 1);
const media = await talkingHead(join(dir, 'head.mp4'), 1);

type Planned = Parameters<NonNullable<Watch['planned']>>[0];
type Seen = Parameters<NonNullable<Watch['rendered']>>[0];
let count = 0;
const run = async (models: typeof fast) => {
  const frames: Seen[] = [];
  const plans: Planned[] = [];
  const watch: Watch = {
    planned: (plan) => plans.push(plan),
    rendered: (frame) => frames.push(frame),
  };
  await lipSync({
    ...{ kind: 'video', inputs: { media, audio }, target: join(dir, `${count++}.mp4`) },
    ...{ models, config, report: () => {}, signal, watch },
    options: LipsyncOptions.parse({ model: models.model }),
  });
  const [plan] = plans;
  if (!plan) throw new Error('nothing was planned');
  return { frames, plan };
};
const runs = { balanced: await run(balanced), fast: await run(fast) };

test('balanced borrows open mouths from the clip itself, fast draws them', () => {
  const { lending } = runs.balanced.plan;
  assert.is(runs.fast.plan.lending, null);
  if (!lending) throw new Error('no lending was planned');
  assert.ok(lending.bank.length > 0);
  assert.is(lending.lenders.length, 2 * runs.balanced.frames.length);
  assert.ok(lending.shares.some((share) => share > 0.9));
});

test('with lenders too, only bytes under the mask change', () => {
  for (const { rect, mask, before, after } of runs.balanced.frames) {
    if (!rect || !mask) throw new Error('the face was lost');
    const { width, height } = before;
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const [column, row] = [x - rect.x, y - rect.y];
        const inside = column >= 0 && row >= 0 && column < rect.width && row < rect.height;
        const at = y * width + x;
        if ((inside && mask[row * rect.width + column]) || after.pixels[at] === before.pixels[at])
          continue;
        throw new Error(`${x}, ${y} changed, outside the mask`);
      }
    }
  }
});

/** The first frame of the clip as it was, with what renders it. */
const sitter = async () => {
  const [frame] = runs.fast.frames;
  if (!frame?.mesh) throw new Error('the face was lost');
  const picture: YuvFrame = { ...frame.before, index: 0, time: 0, duration: 0.04 };
  const rect = patchOf(frame.mesh, picture, balanced.mouthRender);
  if (!rect) throw new Error('the mouth is beyond the border');
  const [patch, mesh] = [cut(picture, rect), meshIn(frame.mesh, rect)];
  const coding = { kr: 0.2126, kb: 0.0722, fullRange: false };
  const style = 'photo' as const;
  const subject = await balanced.mouthRender.subject(patch, mesh, { coding, style }, signal);
  return { picture, patch, mesh, face: frame.mesh, about: { coding, style, subject } };
};

test('a lent mouth is another than a drawn one, and a flat drawing borrows none', async () => {
  const { picture, patch, mesh, face, about } = await sitter();
  const lending = {
    bank: [0],
    lenders: Int32Array.of(0, -1, -1, -1),
    shares: Float32Array.of(1, 0, 0, 0),
  };
  const clip = {
    lending,
    pictures: async function* () {
      yield picture;
    },
    meshOf: async () => face,
  };
  const lenders = await borrow({ ...clip, about }, balanced.mouthRender, signal);
  assert.equal([lenders.of(0).length, lenders.of(1).length], [1, 0]);
  const target = new Float32Array(SHAPE);
  target.set([0.1, 0.6]);
  const render = (lent: Parameters<typeof balanced.mouthRender.render>[5]) =>
    balanced.mouthRender.render(patch, mesh, target, about, signal, lent);
  const [drawn, lent] = [await render([]), await render(lenders.of(0))];
  assert.equal(drawn.mask, lent.mask);
  assert.not.equal(drawn.pixels, lent.pixels);

  const flat = { ...about, style: 'flat' as const };
  const none = await borrow({ ...clip, about: flat }, balanced.mouthRender, signal);
  assert.equal(none.of(0), []);
});

test('a lender of another size, and shares beyond 1, are refused', async () => {
  const { patch, mesh, about } = await sitter();
  const lender = await balanced.mouthRender.lender(patch, mesh, about, signal);
  const target = new Float32Array(SHAPE);
  const wrong = [
    [{ lender: lender.subarray(1), share: 1 }],
    [
      { lender, share: 0.8 },
      { lender, share: 0.8 },
    ],
    [{ lender: Buffer.alloc(lender.length), share: 1 }],
  ];
  for (const lent of wrong) {
    let refused = false;
    target[0] = 0.1;
    try {
      await balanced.mouthRender.render(patch, mesh, target, about, signal, lent);
    } catch {
      refused = true;
    }
    assert.ok(refused);
  }
});

test.run();
