import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { YuvPicture } from '../../../src/frame.ts';
import { flatness, isFlat } from '../../../src/operations/lip-sync/faces/flatness.ts';

const test = suite('flatness');

const SIZE = 200;

/** A face of skin and two dark eyes, with light from the left; `rough` codes of noise, all of it dimmed by `dim`. */
const face = (rough: number, dim = 1) => {
  let seed = 1;
  const noise = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return (seed / 2147483648 - 0.5) * rough;
  };
  const pixels = Buffer.alloc(SIZE * SIZE * 3);
  for (let at = 0; at < pixels.length; at += 1) {
    const [x, y] = [Math.floor(at / 3) % SIZE, Math.floor(at / 3 / SIZE)];
    const eye = Math.min(Math.hypot(x - 65, y - 80), Math.hypot(x - 135, y - 80)) < 24;
    pixels[at] = dim * ((eye ? 40 : 215) + noise());
  }
  return { width: SIZE, height: SIZE, channels: 3 as const, pixels };
};

test('a face of flat colours is a drawing', () => {
  assert.is(isFlat(face(0), [20, 20, 180, 180]), true);
});

test('a face whose skin varies is none', () => {
  assert.is(isFlat(face(16), [20, 20, 180, 180]), false);
});

test('in the dark a face is no drawing because its skin varies by less', () => {
  assert.is(isFlat(face(10, 0.2), [20, 20, 180, 180]), false);
  assert.is(isFlat(face(0, 0.2), [20, 20, 180, 180]), true);
});

test('what is drawn with few colours is flat, what has grain is not', () => {
  const [side, box] = [320, [60, 60, 260, 260]] as const;
  const paint = (code: (x: number, y: number) => number): YuvPicture => {
    const luma = Array.from({ length: side * side }, (_, i) =>
      code(i % side, Math.floor(i / side)),
    );
    return {
      width: side,
      height: side,
      pixels: Buffer.from([...luma, ...luma.slice(0, (side * side) / 2)]),
    };
  };
  assert.ok(
    flatness(
      paint((x) => (x < 150 ? 90 : 200)),
      box,
    ) > 0.9,
  );
  assert.ok(
    flatness(
      paint((x, y) => 120 + ((x * 31 + y * 17) % 9)),
      box,
    ) < 0.1,
  );
});

test.run();
