/** The inside of the mouth, merged from the clip's own pictures by the real models. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../src/errors.ts';
import type { YuvFrame } from '../../../src/frame.ts';
import type { BenchHooks } from '../../../src/operations/lip-sync/bench-hooks.ts';
import { collectInside } from '../../../src/operations/lip-sync/render/inside.ts';
import { cut, meshIn, patchOf } from '../../../src/operations/lip-sync/render/patch.ts';
import { measureSubject } from '../../../src/operations/lip-sync/render/subject.ts';
import { type LipsyncModel, LipsyncOptions } from '../../../src/operations/lip-sync/request.ts';
import { runLipSync } from '../../../src/operations/lip-sync/run.ts';
import { SHAPE, type TellingPictures } from '../../../src/triton/clients/mouth-plan.ts';
import { openTransport } from '../../../src/triton/open-transport.ts';
import type { Transport } from '../../../src/triton/protocol/transport.ts';
import { testConfig } from '../../real/config.ts';
import { lipsyncModels } from '../../real/lipsync.ts';
import { probeBoth } from '../../real/probe-both.ts';
import { tempDir } from '../../real/run.ts';
import { sounds } from '../../real/sounds.ts';
import { portrait, talkingHead } from '../../real/talking.ts';
import { lipsyncNames, realTriton, tritonEnvironment } from '../../real/triton.ts';

const test = suite('inside');
const dir = tempDir('inside');
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

type Seen = Parameters<NonNullable<BenchHooks['rendered']>>[0];
let count = 0;
const run = async (models: typeof fast) => {
  const frames: Seen[] = [];
  const told: TellingPictures[] = [];
  const hooks: BenchHooks = {
    told: (pictures) => told.push(pictures),
    rendered: (frame) => frames.push(frame),
  };
  await runLipSync({
    inputs: { media, audio },
    found,
    target: join(dir, `${count++}.mp4`),
    models,
    config,
    report: () => {},
    signal,
    hooks,
    options: LipsyncOptions.parse({ model: models.model }),
  });
  const [pictures] = told;
  if (!pictures) throw new Error('no picture of the clip was named');
  return { frames, lenders: pictures.lenders };
};
const runs = { balanced: await run(balanced), fast: await run(fast) };

test('fast looks into up to nine open mouths of the clip, balanced into up to 24', () => {
  assert.is(fast.mouthRender.lenders, 9);
  assert.is(balanced.mouthRender.lenders, 24);
  const [few, many] = [runs.fast.lenders, runs.balanced.lenders];
  assert.ok(few.length > 3 && few.length <= 9);
  assert.equal(many.slice(0, few.length), few);
});

test('only bytes under the mask change', () => {
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

/** The frame of the clip that shows the inside of the mouth best, as it was, with what renders it. */
const sitter = async () => {
  const frame = runs.fast.frames[runs.fast.lenders[0] ?? 0];
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

test('the inside of the mouth that the clip shows is another than a drawn one, and a flat drawing has none', async () => {
  const { picture, mouth, face, about } = await sitter();
  const clip = {
    lenders: [0],
    pictures: async function* (indices: readonly number[]) {
      for (const index of indices) yield { ...picture, index };
    },
    meshOf: async () => face,
    render: balanced.mouthRender,
    inFlight: 2,
    signal,
  };
  const own = await collectInside({ ...clip, rendering: about });
  const target = new Float32Array(SHAPE);
  target.set([0.1, 0.6]);
  const render = (inside: Buffer | null) =>
    balanced.mouthRender.render(mouth, { target, inside }, signal);
  const [drawn, shown] = [await render(null), await render(own)];
  assert.not.equal(drawn.pixels, shown.pixels);

  const flat = { ...about, style: 'flat' as const };
  assert.is(await collectInside({ ...clip, rendering: flat }), null);
  assert.is(await collectInside({ ...clip, lenders: [], rendering: about }), null);
});

/** The planes of a picture with a grey square before the mouth, of so many distances between the eyes in each direction. */
const behind = (size: number, { width, height, pixels }: YuvFrame, face: Float32Array): Buffer => {
  const [x = 0, y = 0] = face.subarray(13 * 3);
  const reach = size * ((face[263 * 3] ?? 0) - (face[33 * 3] ?? 0));
  const half = [Math.ceil(width / 2), Math.ceil(height / 2)] as const;
  const chroma = width * height;
  const covered = Buffer.from(pixels);
  for (const [from, wide, step, grey] of [
    [0, width, 1, 60],
    [chroma, half[0], 2, 128],
    [chroma + half[0] * half[1], half[0], 2, 128],
  ] as const)
    for (let row = Math.round((y - reach) / step); row < (y + reach) / step; row += 1) {
      const left = from + row * wide + Math.round((x - reach) / step);
      covered.fill(grey, left, left + Math.round((2 * reach) / step));
    }
  return covered;
};

test('the subject is measured where nothing covers its mouth, and not behind a mask', async () => {
  const { picture, face } = await sitter();
  const info = found.media;
  if (info.kind !== 'video') throw new Error('the clip is no video');
  const options = LipsyncOptions.parse({ model: 'balanced', options: { style: 'photo' } });
  const box = [0, 0, picture.width, picture.height] as const;
  const sighting = { score: 1, box, id: 0, mesh: 0, opening: 0 };
  const portrayals = async function* (pictures: readonly YuvFrame[]) {
    for (const one of pictures) yield { info, picture: one, face: sighting, mesh: face };
  };
  const measureOnEither = (planned: readonly YuvFrame[], others: readonly YuvFrame[]) => {
    const either = [() => portrayals(planned), () => portrayals(others)] as const;
    return measureSubject({ models: balanced, options, signal }, ...either);
  };
  const measureOn = (...planned: readonly YuvFrame[]) => measureOnEither(planned, []);
  const clean = await measureOn(picture);
  const microphone = { ...picture, pixels: behind(0.15, picture, face) };
  assert.equal(await measureOn(microphone, picture), clean);
  assert.not.equal(await measureOn(microphone), clean);
  assert.equal(await measureOn(picture, microphone), clean);
  const hand = { ...picture, pixels: behind(0.3, picture, face) };
  assert.equal(await measureOnEither([hand, hand], [hand, picture]), clean);
  const mask = { ...picture, pixels: behind(0.5, picture, face) };
  const failure = await measureOn(mask).catch((error: unknown) => error);
  assert.ok(failure instanceof Failure && failure.code === 'no_face_detected', String(failure));
});

test('an inside of another size, or that no model has merged, is refused', async () => {
  const { mouth } = await sitter();
  const target = new Float32Array(SHAPE);
  target[0] = 0.1;
  const inside = await balanced.mouthRender.inside(
    [await balanced.mouthRender.lender(mouth, signal)],
    mouth,
    signal,
  );
  for (const wrong of [inside.subarray(1), Buffer.alloc(inside.length)]) {
    let refused = false;
    try {
      await balanced.mouthRender.render(mouth, { target, inside: wrong }, signal);
    } catch {
      refused = true;
    }
    assert.ok(refused);
  }
});

/** A transport that keeps the names of all that the renderers are sent. */
const listen = () => {
  const asked: string[][] = [];
  const listening: Transport = {
    ...transport,
    infer: (model, inputs, wanted, until) => {
      if (model.startsWith('mouth_render')) asked.push(inputs.map(({ name }) => name));
      return transport.infer(model, inputs, wanted, until);
    },
  };
  return { asked, listening };
};

test('the renderers of the service get what they always got, and the same comes back', async () => {
  const { asked, listening } = listen();
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

test('a portrait shows what its own picture shows of the mouth, and a drawing nothing', async () => {
  const sound = await sounds.babble(join(dir, 'short.wav'), 0.2);
  const { asked, listening } = listen();
  const models = await lipsyncModels('fast', listening, config.triton);
  for (const style of ['photo', 'flat'] as const) {
    asked.length = 0;
    const inputs = { media: portrait, audio: sound };
    await runLipSync({
      inputs,
      found: await probeBoth(inputs, config, signal),
      models,
      config,
      signal,
      target: join(dir, `${style}.mp4`),
      report: () => {},
      options: LipsyncOptions.parse({ model: 'fast', options: { style, motion: false } }),
    });
    const frames = asked.slice(style === 'photo' ? 3 : 1);
    assert.ok(frames.length >= 4);
    for (const names of frames) assert.is(names.includes('INSIDE'), style === 'photo');
  }
});

test.run();
