/** The measures of complaints on pictures in which the fault is planted: each sees its own. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { YuvPicture } from '../../src/frame.ts';
import * as measures from './measures.ts';

const test = suite('measures of complaints');
const SIDE = 80;

/** A soft pattern; `luma` and `chroma` change it. */
const picture = (
  luma = (code: number, _x: number, _y: number) => code,
  chroma = (code: number, _x: number, _y: number) => code,
): YuvPicture => {
  const pixels = Buffer.alloc((SIDE * SIDE * 3) / 2, 128);
  for (let y = 0; y < SIDE; y += 1)
    for (let x = 0; x < SIDE; x += 1)
      pixels[y * SIDE + x] = luma(120 + 20 * Math.sin(x / 3) + 20 * Math.cos(y / 4), x, y);
  for (let y = 0; y < SIDE / 2; y += 1)
    for (let x = 0; x < SIDE / 2; x += 1)
      pixels[SIDE * SIDE + (y * SIDE) / 2 + x] = chroma(128, 2 * x, 2 * y);
  return { width: SIDE, height: SIDE, pixels };
};
const boxed = (x: number, y: number) => x >= 16 && x < 64 && y >= 16 && y < 64;
const mask = Buffer.from(
  Array.from({ length: SIDE * SIDE }, (_, i) => (boxed(i % SIDE, Math.floor(i / SIDE)) ? 255 : 0)),
);
const patch = (after: YuvPicture) => ({
  index: 0,
  mask,
  mesh: new Float32Array(478 * 3),
  before: picture(),
  after,
});

test('a visible box is a seam, and a mouth in its middle is none', () => {
  assert.ok(measures.seam(patch(picture())) === 0);
  const lighter = picture((code, x, y) => code + (boxed(x, y) ? 12 : 0));
  assert.ok(measures.seam(patch(lighter)) > 0.3, `${measures.seam(patch(lighter))}`);
  const mouth = picture((code, x, y) => (x > 30 && x < 50 && y > 35 && y < 45 ? 20 : code));
  assert.ok(measures.seam(patch(mouth)) === 0);
});

test('a shift of colour is seen at the rim, in luma and in chroma', () => {
  const shifted = picture(
    (code, x, y) => code + (boxed(x, y) ? 4 : 0),
    (code, x, y) => code - (boxed(x, y) ? 3 : 0),
  );
  const [y, u, v] = measures.rimShift(patch(shifted));
  assert.ok(Math.abs(y - 4) < 0.5 && Math.abs(u + 3) < 0.5 && v === 0, `${[y, u, v]}`);
});

test('a blurred patch is less sharp', () => {
  const flatter = picture((code) => 120 + (code - 120) / 3);
  const ratio = measures.sharpness(flatter, boxed) / measures.sharpness(picture(), boxed);
  assert.ok(ratio < 0.4, `${ratio}`);
});

test('a value that jumps to and fro trembles, and one that goes on does not', () => {
  assert.is(measures.trembling([1, 2, 3, 4]), 0);
  assert.is(measures.trembling([1, 2, 1, 2]), 2);
  assert.ok(Math.abs(measures.deviation([1, 3]) - 1) < 1e-9);
});

/** A face whose lips are ellipses round the middle: eyes 60 apart, an opening of 12 pixels, lips 6 thick. */
const face = () => {
  const mesh = new Float32Array(478 * 3);
  const put = (point: number, x: number, y: number) => mesh.set([x, y, 0], point * 3);
  put(33, 10, 10);
  put(263, 70, 10);
  const inner = [78, 191, 80, 81, 82, 13, 312, 311, 310, 415];
  const below = [308, 324, 318, 402, 317, 14, 87, 178, 88, 95];
  const outer = [61, 185, 40, 39, 37, 0, 267, 269, 270, 409];
  const under = [291, 375, 321, 405, 314, 17, 84, 181, 91, 146];
  for (const [half, points] of [
    [0, inner],
    [1, below],
    [0, outer],
    [1, under],
  ] as const)
    for (const [i, point] of points.entries()) {
      const wide = points === outer || points === under;
      const turn = Math.PI * (1 + half + i / 10);
      put(point, 40 + (wide ? 24 : 18) * Math.cos(turn), 40 + (wide ? 12 : 6) * Math.sin(turn));
    }
  return mesh;
};

test('opening and thickness are those of the lips, and what is between them is not the lips', () => {
  assert.ok(Math.abs(measures.openingOf(face()) - 0.2) < 1e-6);
  assert.ok(Math.abs(measures.thicknessOf(face()) - 0.2) < 1e-6);
  const { lips, inside } = measures.outlines(face());
  assert.equal(
    [lips(40, 30), inside(40, 30), lips(40, 40), inside(40, 40)],
    [true, false, false, true],
  );
  assert.not.ok(lips(40, 10) || inside(40, 10));
});

test.run();
