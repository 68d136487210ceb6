/** Videos of which only the changes are enlarged, against each frame enlarged alone, by the real networks. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Picture, YuvPicture } from '../../../src/frame.ts';
import type { Memory } from '../../../src/memory.ts';
import { type AnyPicture, copyArea, emptyLike } from '../../../src/operations/upscale/area.ts';
import { changesOf } from '../../../src/operations/upscale/changes.ts';
import { enlargeFrames, openFramesMemory } from '../../../src/operations/upscale/realtime.ts';
import { upscaleVideo } from '../../../src/operations/upscale/video.ts';
import { openRealtime, realtimeSlot } from '../../../src/triton/clients/realtime.ts';
import { openUpscaler, STRONGEST, upscalerSlot } from '../../../src/triton/clients/upscaler.ts';
import { openTransport } from '../../../src/triton/open-transport.ts';
import { openControl } from '../../../src/triton/protocol/control.ts';
import { testConfig } from '../../real/config.ts';
import { realTriton, shippedSet, tritonEnvironment } from '../../real/triton.ts';
import { never } from '../../triton/promises.ts';

const test = suite('reuse');
const triton = await realTriton(['photo', 'photo_realtime']);
const config = testConfig(tritonEnvironment(triton));
const transport = await openTransport(config.triton);
const models = await shippedSet(openControl(config.triton), [
  upscalerSlot('photo'),
  realtimeSlot('photo_realtime'),
]);
const size = { width: 203, height: 161 };
const noPixels = Buffer.alloc(0);
const yuv = { ...size, pixels: noPixels };
const rgb = { ...size, channels: 3, pixels: noPixels } as const;

/** The samples of a picture, shifted by so many. Pixels of RGB are nearly grey: saturated ones take `photo` three times as long. */
const noise = <P extends AnyPicture>(form: P, shift = 0): P => {
  const picture = emptyLike(form, form);
  const samples = 'channels' in form ? Number(form.channels) : 1;
  for (const i of picture.pixels.keys())
    picture.pixels[i] = (((Math.floor(i / samples) + shift) ** 2 % 251) & 0xf0) + (i % samples);
  return picture;
};
type Spot = readonly [x: number, y: number];
/** The picture with other samples in 8 x 8 pixels at each of these places. */
const changed = <P extends AnyPicture>(picture: P, ...spots: readonly Spot[]): P => {
  const copy = emptyLike(picture, picture);
  picture.pixels.copy(copy.pixels);
  const other = noise(picture, 99);
  for (const [x, y] of spots) {
    const area = { x, y, width: 8, height: 8 };
    copyArea(other, area, copy, area);
  }
  return copy;
};
/** As it was; one spot; two that are far from each other, one of them in a corner; all of it. */
const story = <P extends AnyPicture>(form: P): P[] => {
  const first = noise(form);
  const second = changed(first, [60, 70]);
  const third = changed(second, [0, 0], [194, 152]);
  const frames = [first, first, second, third, second, noise(form, 5)];
  return frames.map((frame) => ({ ...frame, pixels: Buffer.from(frame.pixels) }));
};
async function* timed<P>(frames: readonly P[]) {
  for (const [index, frame] of frames.entries())
    yield { ...frame, index, time: index, duration: 1 };
}
/** The same frames in memory that was given back, as a decoder gives them. */
async function* lent(frames: readonly YuvPicture[], { take }: Memory, seen: Set<ArrayBufferLike>) {
  for await (const frame of timed(frames)) {
    const pixels = take(frame.pixels.length);
    frame.pixels.copy(pixels);
    seen.add(pixels.buffer);
    yield { ...frame, pixels };
  }
}
/** Before the next is asked for, which may be in the same memory. */
async function* copied<P extends AnyPicture>(frames: AsyncIterable<P>) {
  for await (const frame of frames) yield { ...frame, pixels: Buffer.from(frame.pixels) };
}
const same = (got: readonly AnyPicture[], expected: readonly AnyPicture[]) => {
  assert.is(got.length, expected.length);
  for (const [i, { pixels }] of expected.entries())
    assert.ok(got[i]?.pixels.equals(pixels), `frame ${i} is as if it were enlarged alone`);
};
/** AMX adds in another order where the size of a picture is another. */
const hasAmx = readFileSync('/proc/cpuinfo', 'utf8').includes('amx_bf16');
/** As `same`; with AMX no more than one sample of 10,000 of a frame differs, and by one level. */
const sameBut = (got: readonly AnyPicture[], expected: readonly AnyPicture[]) => {
  if (!hasAmx) return same(got, expected);
  assert.is(got.length, expected.length);
  for (const [i, { pixels }] of expected.entries()) {
    const here = got[i]?.pixels ?? Buffer.alloc(0);
    assert.is(here.length, pixels.length);
    const steps = pixels.map((value, at) => Math.abs(value - (here[at] ?? 0)));
    const off = steps.reduce((count, step) => count + Number(step > 0), 0);
    assert.ok(off <= pixels.length / 10_000, `frame ${i}: ${off} samples differ`);
    assert.ok(
      steps.every((step) => step <= 1),
      `frame ${i} differs by more than one level`,
    );
  }
};
const collected = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};
/** Each frame enlarged alone: one that came before is not enlarged again. */
const alone = async <P extends AnyPicture, L>(
  frames: readonly P[],
  enlarge: (frame: P) => Promise<L>,
) => {
  const known = new Map<string, Promise<L>>();
  const large: L[] = [];
  for (const frame of frames) {
    const key = frame.pixels.toString('latin1');
    const made = known.get(key) ?? enlarge(frame);
    known.set(key, made);
    large.push(await made);
  }
  return large;
};
const areaOf = (pictures: readonly AnyPicture[]): number =>
  pictures.reduce((sum, { width, height }) => sum + width * height, 0) / (size.width * size.height);

for (const scale of [2, 4] as const) {
  test(`photo at ${scale}: only what has changed is computed, and every frame is the same`, async () => {
    const upscaler = openUpscaler(transport, models.of('photo'));
    const frames = story(rgb);
    const sent: AnyPicture[] = [];
    const counted: typeof upscaler = {
      ...upscaler,
      run: (picture, ...rest) => {
        sent.push(picture);
        return upscaler.run(picture, ...rest);
      },
    };
    const means = { scale, upscaler: counted, denoise: 0, inFlight: 2, signal: never };
    const got = await collected(upscaleVideo(timed(frames), means));
    assert.equal(
      got.map(({ time }) => time),
      [0, 1, 2, 3, 4, 5],
    );
    assert.ok(areaOf(sent) < 5, `${areaOf(sent)} of 6 frames were sent`);
    sameBut(got, await alone(frames, (frame) => upscaler.run(frame, scale, never)));
  });
}

test('photo at level 3, which looks farther: every frame is the same', async () => {
  const upscaler = openUpscaler(transport, models.of('photo'));
  // Weak red noise, which is evened but around the strong red of the second frame.
  const first = emptyLike(rgb, rgb);
  for (const i of first.pixels.keys()) first.pixels[i] = 120 + (i % 3 ? 0 : (i / 3) ** 2 % 7);
  const second = { ...first, pixels: Buffer.from(first.pixels) };
  for (let row = 70; row < 78; row += 1) second.pixels[(row * size.width + 60) * 3] = 255;
  const frames = [first, second];
  const means = { scale: 2, upscaler, denoise: STRONGEST, inFlight: 2, signal: never } as const;
  const got = await collected(upscaleVideo(timed(frames), means));
  const enlarged = (frame: Picture) => upscaler.run(frame, 2, never, { level: STRONGEST });
  same(got, await alone(frames, enlarged));
});

for (const scale of [2, 4, 8] as const) {
  test(`realtime at ${scale}: every frame is as if it were enlarged alone, across calls too`, async () => {
    const realtime = openRealtime(transport, models.of('photo_realtime'));
    const frames = [...story(yuv), ...story(yuv)];
    const options = { model: 'photo', effort: 'realtime', scale } as const;
    const found = { size };
    const task = { options, transport, models, found, config, input: String, signal: never };
    const memory = openFramesMemory();
    const blocks = new Set<ArrayBufferLike>();
    const decoded = lent(frames, memory.frames, blocks);
    const got = await collected(copied(enlargeFrames(decoded, task, memory)));
    // At 8 it takes three calls: the frames of the third come in the memory of the first.
    if (scale === 8) assert.ok(blocks.size < frames.length, 'memory is used again');
    const expected = await alone(frames, (frame) => realtime.run([frame], scale, never));
    same(got, expected.flat());
  });
}

test('what looks at a change is covered; where that is most of a frame, all of it is computed', () => {
  const before = noise(yuv);
  for (const [x, y] of [
    [0, 0],
    [60, 70],
    [62, 94],
    [194, 152],
  ] as const) {
    const areas = changesOf(before, changed(before, [x, y]), 6);
    assert.ok(
      areas?.some(
        (area) =>
          area.x <= Math.max(0, x - 6) &&
          area.y <= Math.max(0, y - 6) &&
          area.x + area.width >= Math.min(size.width, x + 14) &&
          area.y + area.height >= Math.min(size.height, y + 14),
      ),
      `${x}, ${y}`,
    );
  }
  assert.equal(changesOf(before, before, 6), []);
  assert.is(changesOf(before, noise(yuv, 1), 6), null);
  assert.is(
    changesOf(before, changed(before, [0, 0], [194, 0], [100, 80], [0, 152], [194, 152]), 6),
    null,
  );
});

test.after(async () => {
  await transport.close();
  await triton.close();
});

test.run();
