import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Picture } from '../../../src/frame.ts';
import { bandsOf, cutBand, pasteBand } from '../../../src/operations/upscale/bands.ts';

const test = suite('bands');

const sizes = [
  { width: 1, height: 1 },
  { width: 3, height: 4001 },
  { width: 8000, height: 8000 },
  { width: 640, height: 360 },
  { width: 16_384, height: 3 },
];

for (const size of sizes) {
  for (const grid of [
    { bandAlign: 1, bandHalo: 12, bandRows: 0 },
    { bandAlign: 192, bandHalo: 192, bandRows: 192 },
  ]) {
    test(`the bands of ${size.width}x${size.height} on ${grid.bandAlign} rows cover each row once, with context`, () => {
      for (const scale of [2, 4, 8]) {
        let row = 0;
        for (const band of bandsOf(size, scale, grid)) {
          assert.equal(
            [band.left, band.right, band.contextLeft, band.contextRight],
            [0, size.width, 0, size.width],
          );
          assert.is(band.top, row);
          assert.is(band.top % grid.bandAlign, 0);
          assert.is(band.contextTop, Math.max(0, band.top - grid.bandHalo));
          assert.is(band.contextBottom, Math.min(size.height, band.bottom + grid.bandHalo));
          row = band.bottom;
        }
        assert.is(row, size.height);
      }
    });
  }
}

test('a picture of one megapixel is not two requests of minutes for a model of slow tiles', () => {
  const bands = bandsOf({ width: 1500, height: 900 }, 2, {
    bandAlign: 208,
    bandHalo: 208,
    bandRows: 208,
  });
  assert.equal(
    bands.map(({ top }) => top),
    [0, 208, 416, 624, 832],
  );
});

test('cutting and pasting at scale 1 gives the picture back', () => {
  const [width, height] = [5, 3000];
  const pixels = Buffer.from(Array.from({ length: width * height * 3 }, (_, i) => i % 251));
  const picture: Picture = { width, height, channels: 3, pixels };
  const whole: Picture = { ...picture, pixels: Buffer.alloc(pixels.length) };
  const grid = { bandAlign: 7, bandHalo: 9, bandRows: 0 };
  const bands = bandsOf({ width: width * 1000, height }, 1, grid);
  assert.ok(bands.length > 1);
  for (const band of bands) pasteBand(whole, cutBand(picture, band), band, 1);
  assert.ok(whole.pixels.equals(pixels));
});

test('pieces of a picture put together are the picture, and bring what their tiles need', () => {
  const [width, height] = [500, 230];
  const pixels = Buffer.from(Array.from({ length: width * height * 8 }, (_, i) => (i * 7) % 251));
  const picture: Picture = { width, height, channels: 4, depth: 16, pixels };
  const whole: Picture = { ...picture, pixels: Buffer.alloc(pixels.length) };
  const grid = { bandAlign: 208, bandHalo: 208, bandRows: 208, bandColumns: 208 };
  const bands = bandsOf(picture, 1, { ...grid, bandAfter: () => 48 });
  assert.equal(
    bands.map(({ left, top }) => [left, top]),
    [0, 208, 416].flatMap((left) => [0, 208].map((top) => [left, top])),
  );
  assert.equal(
    bands.map(({ contextLeft, contextRight }) => [contextLeft, contextRight])[2],
    [0, 464],
  );
  for (const band of bands) pasteBand(whole, cutBand(picture, band), band, 1);
  assert.equal(whole.pixels, pixels);
});

test('bands of 16 bits a sample put together are the picture', () => {
  const [width, height] = [5, 70];
  const pixels = Buffer.from(Array.from({ length: width * height * 6 }, (_, i) => (i * 7) % 251));
  const picture: Picture = { width, height, channels: 3, depth: 16, pixels };
  const whole: Picture = { ...picture, pixels: Buffer.alloc(pixels.length) };
  const bands = bandsOf({ width: 200_000, height }, 1, { bandAlign: 1, bandHalo: 2, bandRows: 20 });
  assert.is(bands.length, 4);
  for (const band of bands) pasteBand(whole, cutBand(picture, band), band, 1);
  assert.equal(whole.pixels, pixels);
});

test.run();
