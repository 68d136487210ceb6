/** The real models as the pipeline sees them. What their pixels look like is judged beside the models. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Picture } from '../../src/frame.ts';
import { createLog } from '../../src/log.ts';
import { openCatalogue } from '../../src/models/catalogue.ts';
import { slotState } from '../../src/models/state.ts';
import { upscaleImage } from '../../src/operations/upscale/image.ts';
import type { Scale } from '../../src/operations/upscale/request.ts';
import { psnrOf } from '../../src/psnr.ts';
import type { ModelSet } from '../../src/triton/clients/model.ts';
import {
  askEngine,
  MEASURED,
  openUpscaler,
  type Upscaler,
  upscalerSlot,
} from '../../src/triton/clients/upscaler.ts';
import { openTransport } from '../../src/triton/open-transport.ts';
import { openControl } from '../../src/triton/protocol/control.ts';
import { testConfig } from '../real/config.ts';
import { realTriton, shippedSet, tritonEnvironment } from '../real/triton.ts';
import { until } from '../real/until.ts';
import { failure, never } from './promises.ts';

const test = suite('upscaler');
const triton = await realTriton(['photo', 'animation', 'detail']);
const config = testConfig(tritonEnvironment(triton));
const transport = await openTransport(config.triton);
const control = openControl(config.triton);
const log = createLog('silent', 'test');
const load = async (model: string) => (await shippedSet(control, [upscalerSlot(model)])).of(model);
const open = async (model: string) => openUpscaler(transport, await load(model));

const flat = (width: number, height: number, colour: readonly number[]): Picture => ({
  width,
  height,
  channels: colour.length === 4 ? 4 : 3,
  pixels: Buffer.alloc(width * height * colour.length, Buffer.from(colour)),
});

for (const model of ['photo', 'animation', 'detail'] as const) {
  test(`${model} tells its release, its bands and its engine`, async () => {
    const loaded = await load(model);
    const { bandAlign, bandHalo } = openUpscaler(transport, loaded);
    assert.match(loaded.release, new RegExp(`^${model}-[rs]\\d+$`));
    assert.ok(Number.isInteger(bandAlign) && bandAlign > 0);
    assert.ok(Number.isInteger(bandHalo) && bandHalo >= 0);
    assert.match(await askEngine(transport, loaded, never), /openvino|onnxruntime|tensorrt/i);
  });
}

test('a flat colour stays that colour at every scale, from one pixel on, with and without alpha', async () => {
  const photo = await open('photo');
  const scales: Scale[] = [2, 4, 8];
  for (const scale of scales) {
    for (const colour of [
      [200, 100, 50],
      [200, 100, 50, 128],
    ]) {
      for (const [width, height] of [
        [1, 1],
        [7, 3],
      ] as const) {
        const picture = await photo.run(flat(width, height, colour), scale, never);
        assert.equal(
          [picture.width, picture.height, picture.channels],
          [width * scale, height * scale, colour.length],
        );
        const worst = picture.pixels.reduce(
          (most, value, i) => Math.max(most, Math.abs(value - (colour[i % colour.length] ?? 0))),
          0,
        );
        assert.ok(worst <= 8, `${width}x${height} at ${scale}: a value is off by ${worst}`);
      }
    }
  }
});

const psnr = (one: Buffer, other: Buffer): number =>
  psnrOf(one.reduce((sum, value, i) => sum + (value - (other[i] ?? 0)) ** 2, 0) / one.length);

/** Waves of all lengths, as a JPEG of this quality shows them. */
const asJpeg = async (width: number, height: number, quality: number): Promise<Picture> => {
  const pixels = Buffer.alloc(width * height * 3);
  for (const i of pixels.keys()) {
    const [x, y] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width)];
    pixels[i] = 128 + 60 * Math.sin((x * y) / 90) + 50 * Math.cos(x / 7 + y / 11);
  }
  const stored = await sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality })
    .toBuffer();
  return { width, height, channels: 3, pixels: await sharp(stored).raw().toBuffer() };
};

const means = {
  scale: 2,
  denoise: MEASURED,
  inFlight: 1,
  report: () => {},
  signal: never,
} as const;

test('photo measures what a JPEG did and takes it away, the same in bands as in one piece', async () => {
  const photo = await open('photo');
  const stored = await asJpeg(96, 240, 30);
  assert.equal(await photo.measure(stored, never), { level: 4, noise: 0, wideNoise: 0 });
  assert.is((await photo.measure(flat(96, 240, [200, 100, 50]), never)).level, 0);
  const enlarge = (upscaler: Upscaler) => upscaleImage(stored, { ...means, upscaler });
  const [whole, inBands] = [await enlarge(photo), await enlarge({ ...photo, bandRows: 80 })];
  assert.ok(psnr(whole.pixels, inBands.pixels) > 50);
  assert.ok(psnr(whole.pixels, (await photo.run(stored, 2, never)).pixels) < 45);
});

test('animation measures what a JPEG did as well, and is asked for its flat colours', async () => {
  const animation = await open('animation');
  const stored = await asJpeg(96, 240, 30);
  assert.equal(await animation.measure(stored, never), { level: 4, noise: 0, wideNoise: 0 });
  const enlarge = (upscaler: Upscaler) => upscaleImage(stored, { ...means, upscaler });
  const [whole, inBands] = [
    await enlarge(animation),
    await enlarge({ ...animation, bandRows: 80 }),
  ];
  assert.ok(psnr(whole.pixels, inBands.pixels) > 50);
  assert.not.equal(whole.pixels, (await animation.run(stored, 2, never)).pixels);
});

test('strong noise goes, the same in bands as in one piece', async () => {
  const photo = await open('photo');
  const [width, height] = [160, 240];
  let state = 1;
  const noisy = flat(width, height, [120, 110, 100]);
  for (const i of noisy.pixels.keys()) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    noisy.pixels[i] = (noisy.pixels[i] ?? 0) + ((state >>> 16) % 48) - 24;
  }
  const { level, noise = 0 } = await photo.measure(noisy, never);
  assert.is(level, 3);
  // 48 values, all as often, in each channel for itself.
  assert.ok(Math.abs(noise - 0.67 * 13.9) < 1, `${noise}`);
  const enlarge = (upscaler: Upscaler) => upscaleImage(noisy, { ...means, upscaler });
  const [whole, inBands] = [await enlarge(photo), await enlarge({ ...photo, bandRows: 80 })];
  assert.ok(psnr(whole.pixels, inBands.pixels) > 50);
  const clean = flat(2 * width, 2 * height, [120, 110, 100]);
  const { pixels } = await photo.run(noisy, 2, never, { level });
  assert.ok(psnr(clean.pixels, whole.pixels) > psnr(clean.pixels, pixels) + 3);
});

test('a JPEG whose pixels tell nothing is cleaned as its table says, and more where they tell more', async () => {
  const photo = await open('photo');
  const as = (picture: Picture, atLeast: number) =>
    upscaleImage(picture, { ...means, upscaler: photo, atLeast });
  const silent = flat(48, 48, [200, 100, 50]);
  silent.pixels.fill(255, 24 * 48 * 3);
  const [stated, asked] = [await as(silent, 2), await photo.run(silent, 2, never, { level: 2 })];
  assert.ok(stated.pixels.equals(asked.pixels));
  const stored = await asJpeg(96, 96, 30);
  assert.ok(
    (await as(stored, 1)).pixels.equals((await photo.run(stored, 2, never, { level: 4 })).pixels),
  );
});

test('a scale that the model does not have is its failure, in its own words', async () => {
  const photo = await open('photo');
  // The type forbids it; a caller without types would send it all the same.
  const three: Scale = JSON.parse('3');
  const refused = await failure(photo.run(flat(4, 4, [1, 2, 3]), three, never), 'inference_failed');
  assert.match(String(refused.facts.reason), /3/);
});

test('a picture whose bytes do not fill its size is not sent', async () => {
  const photo = await open('photo');
  const torn = { ...flat(4, 4, [1, 2, 3]), height: 5 };
  const error = await photo.run(torn, 2, never).catch((error: unknown) => error);
  assert.match(String(error), /should take 60 bytes; got 48/);
});

test('a model that is not loaded, or is no upscaler, cannot be opened', async () => {
  await failure(open('nope'), 'model_unavailable');
  await control.load('echo', 30_000);
  const { cause } = await failure(open('echo'), 'model_unavailable');
  assert.match(String(cause), 'expected the input "SCALE" as TYPE_INT32 [1], got none');
});

test('the catalogue tells which models are ready, with release and engine', async () => {
  const entries = ['photo', 'nope'].map((id) => ({
    id,
    slots: { image: [upscalerSlot(id)], video: [upscalerSlot(id)] },
    engine: (models: ModelSet) => askEngine(transport, models.of(id), never),
  }));
  const forms = ['photo', 'nope'].map((slot) => ({ slot, shipped: 'r1', tritonSlots: [slot] }));
  const states = forms.map((form) => slotState(form, null));
  const registry = { revision: async () => null, readAll: async () => states };
  const catalogue = openCatalogue(entries, { transport, control, registry, log, signal: never });
  // A Triton on a busy machine may take longer than a description waits for it.
  await until('photo is ready', async () => Boolean((await catalogue.describe())[0]?.engine));
  for (let i = 0; i < 2; i += 1) {
    const [photo, nope] = await catalogue.describe();
    assert.ok(photo?.ready && photo.engine);
    assert.match(photo.releases.image ?? '', /^photo-s\d+$/);
    assert.is(photo.releases.video, photo.releases.image);
    const releases = { image: null, video: null };
    const versions = releases;
    const shipped = {
      release: 'r1',
      alias: 'stable',
      percent: 0,
      mirror: 0,
      ready: false,
      versions,
    };
    assert.equal(nope, { id: 'nope', ready: false, releases, engine: null, offered: [shipped] });
  }
});

test('an abort leaves at once', async () => {
  const photo = await open('photo');
  const stop = new AbortController();
  const reason = new Error('enough');
  const work = photo.run(flat(320, 180, [1, 2, 3]), 4, stop.signal);
  setTimeout(() => stop.abort(reason), 50);
  assert.is(await work.catch((error: unknown) => error), reason);
});

test.after(async () => {
  await transport.close();
  await triton.close();
});

test.run();
