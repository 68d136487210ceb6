import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Picture, YuvPicture } from '../../../src/frame.ts';
import {
  cut,
  markOver,
  meshIn,
  paste,
  patchOf,
  putBack,
} from '../../../src/operations/lip-sync/render/patch.ts';
import { cutFace, cutPixels, withPixels } from '../../../src/operations/lip-sync/render/rgb.ts';

const test = suite('patch');
const size = { width: 64, height: 48 };
const shape = { patchSpan: 2.4, patchDrop: 0.3, smallestFace: 8 };
/** Eyes 10 apart, the mouth 10 below them at `x`, `y`. */
const meshAt = (x: number, y: number): Float32Array => {
  const mesh = new Float32Array(478 * 3);
  for (const [point, dx, dy] of [
    [33, -5, -10],
    [263, 5, -10],
    [61, -3, 0],
    [291, 3, 0],
  ] as const)
    mesh.set([x + dx, y + dy, 0], point * 3);
  return mesh;
};
/** Every byte its own, as far as bytes go. */
const frame = (): YuvPicture => ({
  ...size,
  pixels: Buffer.from(Array.from({ length: 64 * 48 * 1.5 }, (_, i) => (i * 7) % 251)),
});
const rectOf = (x: number, y: number) => {
  const rect = patchOf(meshAt(x, y), size, shape);
  if (!rect) throw new Error('there is no patch');
  return rect;
};

test('it is the square round the mouth, its sides and corners even', () => {
  // Centre 32, 23; half of it is 12.
  assert.equal(rectOf(32, 20), { x: 20, y: 10, width: 26, height: 26 });
  assert.equal(rectOf(33, 20), { x: 20, y: 10, width: 26, height: 26 });
});

test('the border of the picture cuts it', () => {
  assert.equal(rectOf(4, 40), { x: 0, y: 30, width: 18, height: 18 });
  assert.is(patchOf(meshAt(-20, 20), size, shape), null);
  assert.is(patchOf(meshAt(32, 80), size, shape), null);
});

test('without a mesh there is none', () => {
  assert.is(patchOf(new Float32Array(478 * 3).fill(Number.NaN), size, shape), null);
});

test('a face that the renderer would refuse has none', () => {
  assert.is(patchOf(meshAt(32, 20), size, { ...shape, smallestFace: 10.5 }), null);
});

test('of a mark it gets the part that lies over it, and nothing beside that', () => {
  const mark = { x: 2, y: 3, width: 3, height: 2, pixels: Buffer.from([1, 2, 3, 4, 5, 6]) };
  const over = markOver(mark, { x: 4, y: 2, width: 2, height: 4 });
  assert.equal([...over], [128, 128, 3, 128, 6, 128, 128, 128]);
  assert.ok(markOver(mark, { x: 8, y: 2, width: 2, height: 2 }).every((share) => share === 128));
});

test('the mesh goes with it', () => {
  const inside = meshIn(meshAt(32, 20), rectOf(32, 20));
  assert.equal([...inside.subarray(61 * 3, 61 * 3 + 3)], [32 - 3 - 20, 20 - 10, 0]);
});

test('what was cut is put back over what was pasted', () => {
  const shown = frame();
  const rect = rectOf(33, 21);
  const patch = cut(shown, rect);
  const mask = Buffer.alloc(rect.width * rect.height, 255);
  paste(shown, rect, { pixels: Buffer.alloc(patch.pixels.length, 252), mask }, 1);
  assert.not.ok(shown.pixels.equals(frame().pixels));
  putBack(shown, rect, patch);
  assert.ok(shown.pixels.equals(frame().pixels));
});

test('what is cut and pasted whole is the same picture', () => {
  const [before, after] = [frame(), frame()];
  const rect = rectOf(32, 20);
  const { pixels } = cut(before, rect);
  assert.is(pixels.length, 26 * 26 * 1.5);
  assert.ok(paste(after, rect, { pixels, mask: Buffer.alloc(26 * 26, 255) }, 1));
  assert.ok(after.pixels.equals(before.pixels));
});

test('only what the mask shows changes, chroma with any of its four pixels', () => {
  const [before, after] = [frame(), frame()];
  const rect = rectOf(32, 20);
  // It may begin at an odd byte.
  const mask = Buffer.from(new ArrayBuffer(1 + 26 * 26), 1);
  mask[3 * 26 + 5] = 1;
  assert.ok(paste(after, rect, { pixels: Buffer.alloc(26 * 26 * 1.5, 252), mask }, 1));
  const changed = [...after.pixels.keys()].filter((i) => after.pixels[i] !== before.pixels[i]);
  const [x, y] = [rect.x + 5, rect.y + 3];
  const chroma = (y >> 1) * 32 + (x >> 1);
  assert.equal(changed, [y * 64 + x, 64 * 48 + chroma, 64 * 48 * 1.25 + chroma]);
  assert.not(
    paste(after, rect, { pixels: Buffer.alloc(26 * 26 * 1.5), mask: Buffer.alloc(26 * 26) }, 1),
  );
});

test('a share mixes the new with the old', () => {
  const flat = { ...size, pixels: Buffer.alloc(64 * 48 * 1.5, 100) };
  const rect = rectOf(32, 20);
  const rendered = { pixels: Buffer.alloc(26 * 26 * 1.5, 200), mask: Buffer.alloc(26 * 26, 9) };
  paste(flat, rect, rendered, 0.25);
  assert.equal([...new Set(flat.pixels)], [100, 125]);
});

/** A still, every byte its own as far as bytes go. */
const still: Picture = {
  ...size,
  channels: 3,
  pixels: Buffer.from(Array.from({ length: 64 * 48 * 3 }, (_, i) => (i * 37) % 256)),
};
const byteAt = (x: number, y: number, channel: number) => (((y * 64 + x) * 3 + channel) * 37) % 256;

test('what is cut of a still and put back is the same picture', () => {
  const rect = rectOf(32, 20);
  const part = cutPixels(still, rect);
  assert.is(part.length, 26 * 26 * 3);
  assert.is(part[(2 * 26 + 5) * 3 + 1], byteAt(rect.x + 5, rect.y + 2, 1));
  const memory = Buffer.alloc(still.pixels.length, 1);
  assert.ok(withPixels(still, rect, part, memory).pixels.equals(still.pixels));
});

test('only the rectangle of a still changes, and only in the copy', () => {
  const rect = rectOf(32, 20);
  const before = Buffer.from(still.pixels);
  const memory = Buffer.alloc(before.length, 1);
  const { pixels } = withPixels(still, rect, Buffer.alloc(26 * 26 * 3, 255), memory);
  assert.ok(still.pixels.equals(before));
  for (let at = 0; at < pixels.length; at += 1) {
    const [x, y] = [Math.floor(at / 3) % 64, Math.floor(at / 3 / 64)];
    const inside = x >= rect.x && x < rect.x + 26 && y >= rect.y && y < rect.y + 26;
    assert.is(pixels[at], inside ? 255 : before[at]);
  }
});

test('a face is cut with what is round it, its box in pixels of the cut', () => {
  const { pixels, ...cut } = cutFace(still, [20, 14, 36, 26]);
  assert.equal(cut, { width: 20, height: 20, channels: 3, box: [2, 4, 18, 16] });
  assert.is(pixels[0], byteAt(18, 10, 0));
  const { pixels: luma, ...ofClip } = cutFace(frame(), [20, 14, 36, 26]);
  assert.equal(ofClip, { width: 20, height: 20, channels: 1, box: [2, 4, 18, 16] });
  assert.is(luma[20], ((11 * 64 + 18) * 7) % 251);
});

test('of a face beyond the border what the picture has is cut', () => {
  const { pixels, ...corner } = cutFace(still, [-8, -8, 8, 8]);
  assert.equal(corner, { width: 10, height: 10, channels: 3, box: [-8, -8, 8, 8] });
  assert.is(pixels.length, 300);
  const away = cutFace(still, [100, 100, 116, 116]);
  assert.equal([away.width, away.height, away.pixels.length], [1, 1, 3]);
});

test.run();
