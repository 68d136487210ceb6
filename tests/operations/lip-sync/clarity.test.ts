import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { yuvBytes } from '../../../src/frame.ts';
import { clarityIn, clearOnes } from '../../../src/operations/lip-sync/faces/clarity.ts';

const test = suite('clarity');

const [width, height] = [80, 60];
/** Vertical stripes of 60 and 200, mixed with black by a share. */
const stripes = (share: number) => {
  const pixels = Buffer.alloc(yuvBytes({ width, height }), 128);
  for (let at = 0; at < width * height; at++)
    pixels[at] = Math.round(16 + share * ((at % width) % 4 < 2 ? 44 : 184));
  return { width, height, pixels };
};

test('a picture that is mixed with black has so much less contrast', () => {
  const full = clarityIn(stripes(1), [10, 10, 50, 50]).contrast;
  assert.is(Math.round(full), 70);
  assert.is(Math.round(clarityIn(stripes(0.5), [10, 10, 50, 50]).contrast), 35);
});

test('a box is looked at as far as the picture goes', () => {
  assert.ok(clarityIn(stripes(1), [-30, -30, 40, 40]).contrast > 60);
  assert.ok(clarityIn(stripes(1), [50, 30, 110, 90]).contrast > 60);
  assert.is(clarityIn(stripes(1), [100, 10, 140, 50]).contrast, 0);
});

test('faces that fade are left out', () => {
  const faces = [0.1, 0.3, 0.64, 0.66, 1, 1.02, 0.9, 0.95].map((contrast) => ({ contrast }));
  const clear = clearOnes([null, ...faces]);
  assert.equal(
    clear.map((face) => face?.contrast ?? null),
    [null, null, null, null, 0.66, 1, 1.02, 0.9, 0.95],
  );
});

test('skin is burnt out where red ends, and where all does', () => {
  const plain = (y: number, v: number) => {
    const { pixels } = stripes(0);
    pixels.fill(y, 0, width * height);
    pixels.fill(v, (width * height * 5) / 4);
    return clarityIn({ width, height, pixels }, [10, 10, 50, 50]).burnt;
  };
  assert.equal([plain(170, 150), plain(204, 150), plain(235, 128), plain(220, 120)], [0, 1, 1, 0]);
});

test('faces that are more burnt out than the others are left out, not those of a clip that is burnt out', () => {
  const shares = [0.8, 0.9, 0.1, 0.15, 0.05, 0.1, 0.29];
  const clear = (burnt: readonly number[]) =>
    clearOnes(burnt.map((share) => ({ burnt: share }))).map((face) => face?.burnt ?? null);
  assert.equal(clear(shares), [null, null, ...shares.slice(2)]);
  assert.equal(clear([0.7, 0.9, 0.8, 0.75]), [0.7, 0.9, 0.8, 0.75]);
});

test('faces of which nothing was stored count as clear', () => {
  const face = {};
  assert.equal(clearOnes([face, null]), [face, null]);
});

test.run();
