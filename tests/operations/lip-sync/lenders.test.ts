/** Mouths lent from frame to frame, by the real models. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { YuvFrame } from '../../../src/frame.ts';
import type { BenchHooks } from '../../../src/operations/lip-sync/bench-hooks.ts';
import { collectLenders } from '../../../src/operations/lip-sync/render/lenders.ts';
import { cut, meshIn, patchOf } from '../../../src/operations/lip-sync/render/patch.ts';
import { type LipsyncModel, LipsyncOptions } from '../../../src/operations/lip-sync/request.ts';
import { runLipSync } from '../../../src/operations/lip-sync/run.ts';
import { SHAPE } from '../../../src/triton/clients/mouth-plan.ts';
import type { Lent } from '../../../src/triton/clients/mouth-render.ts';
import { openTransport } from '../../../src/triton/open-transport.ts';
import type { Transport } from '../../../src/triton/protocol/transport.ts';
import { testConfig } from '../../real/config.ts';
import { lipsyncModels } from '../../real/lipsync.ts';
import { probeBoth } from '../../real/probe-both.ts';
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
const open = (model: LipsyncModel) => lipsyncModels(model, transport, config.triton);
const balanced = await open('balanced');
const fast = await open('fast');

const audio = await sounds.babble(join(dir, 'babble.wav'), 1);
const media = await talkingHead(join(dir, 'head.mp4'), 1);
const found = await probeBoth({ media, audio }, config, signal);

type Planned = Parameters<NonNullable<BenchHooks['planned']>>[0];
type Seen = Parameters<NonNullable<BenchHooks['rendered']>>[0];
let count = 0;
const run = async (models: typeof fast) => {
  const frames: Seen[] = [];
  const plans: Planned[] = [];
  const hooks: BenchHooks = {
    planned: (plan) => plans.push(plan),
    rendered: (frame) => frames.push(frame),
  };
  await runLipSync({
    ...{ inputs: { media, audio }, found, target: join(dir, `${count++}.mp4`) },
    ...{ models, config, report: () => {}, signal, hooks },
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
  const unmeasured = { patch, mesh, about: { coding } };
  const { subject } = await balanced.mouthRender.subject(unmeasured, null, signal);
  const about = { coding, style, subject };
  return { picture, mouth: { patch, mesh, about }, face: frame.mesh, about };
};

test('a lent mouth is another than a drawn one, and a flat drawing borrows none', async () => {
  const { picture, mouth, face, about } = await sitter();
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
    ...{ render: balanced.mouthRender, signal },
  };
  const lenders = await collectLenders({ ...clip, rendering: about });
  assert.equal([lenders.of(0).length, lenders.of(1).length], [1, 0]);
  const target = new Float32Array(SHAPE);
  target.set([0.1, 0.6]);
  const render = (lent: readonly Lent[]) =>
    balanced.mouthRender.render(mouth, { target, lent }, signal);
  const [drawn, lent] = [await render([]), await render(lenders.of(0))];
  assert.equal(drawn.mask, lent.mask);
  assert.not.equal(drawn.pixels, lent.pixels);

  const flat = { ...about, style: 'flat' as const };
  const none = await collectLenders({ ...clip, rendering: flat });
  assert.equal(none.of(0), []);
});

test('a lender of another size, and shares beyond 1, are refused', async () => {
  const { mouth } = await sitter();
  const lender = await balanced.mouthRender.lender(mouth, signal);
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
      await balanced.mouthRender.render(mouth, { target, lent }, signal);
    } catch {
      refused = true;
    }
    assert.ok(refused);
  }
});

test('the renderers of the service get what they always got, and the same comes back', async () => {
  const asked: string[][] = [];
  const listening: Transport = {
    ...transport,
    infer: (model, inputs, wanted, until) => {
      asked.push(inputs.map(({ name }) => name));
      return transport.infer(model, inputs, wanted, until);
    },
  };
  const { mouthRender } = await lipsyncModels('fast', listening, config.triton);
  const { mouth } = await sitter();
  assert.equal(mouthRender.wants, { speechSamples: 0, reference: false, mask: false });
  const target = new Float32Array(SHAPE).fill(0.1, 0, 1);
  const { subject } = await mouthRender.subject(mouth, null, signal);
  const shown = { ...mouth, about: { ...mouth.about, subject } };
  const wanted = { speech: new Float32Array(16), reference: mouth, mask: Buffer.alloc(4) };
  const [plain, offered] = [
    await mouthRender.render(shown, { target }, signal),
    await mouthRender.render(shown, { target, wanted }, signal),
  ];
  const frame = ['Y', 'U', 'V', 'COLOUR', 'MESH', 'TARGET', 'SUBJECT', 'STYLE'];
  assert.equal(asked.slice(-2), [frame, frame]);
  assert.equal(offered, plain);
});

test.run();
