import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Picture, YuvPicture } from '../../../src/frame.ts';
import { cut, meshIn, paste, patchOf } from '../../../src/operations/lip-sync/render/patch.ts';
import {
  cutRgb,
  pasteRgb,
  STILL_CODING,
} from '../../../src/operations/lip-sync/render/patch-colours.ts';

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

test('the mesh goes with it', () => {
  const inside = meshIn(meshAt(32, 20), rectOf(32, 20));
  assert.equal([...inside.subarray(61 * 3, 61 * 3 + 3)], [32 - 3 - 20, 20 - 10, 0]);
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
  const mask = Buffer.alloc(26 * 26);
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

test('of a still only the change is taken over', () => {
  const noise = Array.from({ length: 64 * 48 * 3 }, (_, i) => (i * 37) % 256);
  const still: Picture = { ...size, channels: 3, pixels: Buffer.from(noise) };
  const rect = rectOf(32, 20);
  const patch = cutRgb(still, rect, STILL_CODING);
  const mask = Buffer.alloc(26 * 26, 255);
  const same = pasteRgb(still, rect, patch, { pixels: patch.pixels, mask }, STILL_CODING);
  assert.ok(same.pixels.equals(still.pixels));
});

test('a colour that the renderer paints is that colour', () => {
  const grey: Picture = { ...size, channels: 3, pixels: Buffer.alloc(64 * 48 * 3, 90) };
  const red = Buffer.from(Array.from({ length: 64 * 48 }, () => [200, 60, 40]).flat());
  const rect = rectOf(32, 20);
  const [from, to] = [grey, { ...grey, pixels: red }].map((one) => cutRgb(one, rect, STILL_CODING));
  if (!from || !to) throw new Error('two came in');
  const rendered = { pixels: to.pixels, mask: Buffer.alloc(26 * 26, 255) };
  const { pixels } = pasteRgb(grey, rect, from, rendered, STILL_CODING);
  const at = (20 * 64 + 32) * 3;
  for (const [i, code] of [200, 60, 40].entries())
    assert.ok(Math.abs((pixels[at + i] ?? 0) - code) <= 2, `${[...pixels.subarray(at, at + 3)]}`);
  assert.equal([...pixels.subarray(0, 3)], [90, 90, 90]);
});

test.run();
