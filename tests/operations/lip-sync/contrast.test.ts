import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { yuvBytes } from '../../../src/frame.ts';
import { clearOnes, contrastIn } from '../../../src/operations/lip-sync/faces/contrast.ts';

const test = suite('contrast');

const [width, height] = [80, 60];
/** Vertical stripes of 60 and 200, mixed with black by a share. */
const stripes = (share: number) => {
  const pixels = Buffer.alloc(yuvBytes({ width, height }), 128);
  for (let at = 0; at < width * height; at++)
    pixels[at] = Math.round(16 + share * ((at % width) % 4 < 2 ? 44 : 184));
  return { width, height, pixels };
};

test('a picture that is mixed with black has so much less contrast', () => {
  const full = contrastIn(stripes(1), [10, 10, 50, 50]);
  assert.is(Math.round(full), 70);
  assert.is(Math.round(contrastIn(stripes(0.5), [10, 10, 50, 50])), 35);
});

test('a box is looked at as far as the picture goes', () => {
  assert.ok(contrastIn(stripes(1), [-30, -30, 40, 40]) > 60);
  assert.ok(contrastIn(stripes(1), [50, 30, 110, 90]) > 60);
  assert.is(contrastIn(stripes(1), [100, 10, 140, 50]), 0);
});

test('faces that fade are left out', () => {
  const faces = [0.1, 0.3, 0.64, 0.66, 1, 1.02, 0.9, 0.95].map((contrast) => ({ contrast }));
  const clear = clearOnes([null, ...faces]);
  assert.equal(
    clear.map((face) => face?.contrast ?? null),
    [null, null, null, null, 0.66, 1, 1.02, 0.9, 0.95],
  );
});

test('faces whose contrast was not stored count as clear', () => {
  const face = {};
  assert.equal(clearOnes([face, null]), [face, null]);
});

test.run();
