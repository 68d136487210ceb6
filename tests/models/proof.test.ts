/** What the golden inputs tell of enlargements, right and wrong. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Picture } from '../../src/frame.ts';
import { goldenPicture, likeness } from '../../src/models/check/golden.ts';
import { goldenFace } from '../../src/models/check/golden-face.ts';

const test = suite('golden');
const picture = goldenPicture(3);

/** Enlarged twice, each pixel from where `from` says. */
const twice = (from: (x: number, y: number) => readonly [number, number]): Picture => {
  const [width, height] = [picture.width * 2, picture.height * 2];
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const [left, top] = from(x, y);
      const at = 3 * (Math.min(picture.height - 1, top) * picture.width + Math.max(0, left));
      picture.pixels.copy(pixels, 3 * (y * width + x), at, at + 3);
    }
  return { width, height, channels: 3, pixels };
};
const halved = (x: number, y: number) => [x >> 1, y >> 1] as const;
/** Its bytes changed by their place. */
const changed = (by: (value: number, at: number) => number): Picture => {
  const large = twice(halved);
  return { ...large, pixels: Buffer.from(large.pixels.map(by)) };
};
/** Red as blue, and blue as red. */
const exchanged = (): Picture => {
  const { pixels } = twice(halved);
  return changed((_, at) => pixels[at + 2 - 2 * (at % 3)] ?? 0);
};

test('an enlargement that is the picture is like it, whatever the scale', () => {
  assert.ok(likeness(picture, twice(halved)).psnr > 100);
  assert.ok(likeness(picture, picture).psnr > 100);
  const noisy = likeness(
    picture,
    changed((value, at) => Math.min(255, value + (at % 2))),
  );
  assert.ok(noisy.psnr > 45 && noisy.shift < 1, JSON.stringify(noisy));
});

for (const [what, large] of [
  ['one pixel aside', twice((x, y) => halved(x - 2, y))],
  ['upside down', twice((x, y) => [x >> 1, picture.height - 1 - (y >> 1)])],
  ['black', changed(() => 0)],
  ['one grey', changed(() => 128)],
  ['inverted', changed((value) => 255 - value)],
  ['of exchanged colours', exchanged()],
] as const)
  test(`an enlargement that is ${what} is not like it`, () => {
    const { psnr } = likeness(picture, large);
    assert.ok(psnr < 28, `${psnr} dB`);
  });

test('an enlargement of other colours is seen, also where it is like in shape', () => {
  const { psnr, shift } = likeness(
    picture,
    changed((value) => Math.min(255, value + 6)),
  );
  assert.ok(psnr > 28 && shift > 5, `${psnr} dB, ${shift}`);
});

test('the golden face has a mouth that is open, in a patch with room for it', () => {
  const { patch, mesh, target } = goldenFace();
  assert.is(patch.pixels.length, patch.width * patch.height * 3);
  const [opening = 0, width = 0] = target;
  assert.ok(opening > 0.05 && opening < 0.3 && width > 0.4 && width < 1, `${opening} ${width}`);
  const inside = (value: number, length: number) => value > 0 && value < length;
  for (let point = 0; point < mesh.length; point += 3)
    assert.ok(
      inside(mesh[point] ?? -1, patch.width) && inside(mesh[point + 1] ?? -1, patch.height),
    );
});

test.run();
