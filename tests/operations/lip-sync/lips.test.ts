import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  interpolateShape,
  lipsToBorder,
  openingOf,
} from '../../../src/operations/lip-sync/faces/lips.ts';

const test = suite('lips');

/** Eyes 100 pixels apart, lips 20 and corners 50. */
const mesh = new Float32Array(478 * 3);
for (const [point, x, y] of [
  [33, -50, 0],
  [263, 50, 0],
  [13, 0, 40],
  [14, 0, 60],
  [61, -25, 50],
  [291, 25, 50],
] as const) {
  mesh.set([x, y, 0], point * 3);
}
const asked = Float32Array.of(0, 0.6, 1, 0.02, -0.02, 1, 0, 0, 0.1, 0.4);
const close = (shape: Float32Array, expected: readonly number[]) =>
  assert.ok(
    expected.every((value, i) => Math.abs(value - (shape[i] ?? Number.NaN)) < 1e-6),
    `${shape}`,
  );

test('an opening is told in distances of the eyes', () => {
  assert.ok(Math.abs(openingOf(mesh) - 0.2) < 1e-6);
});

test('how near the lips come to the border of the picture is told in distances of the eyes', () => {
  const face = new Float32Array(478 * 3).fill(150);
  face.set([100, 100, 0], 33 * 3);
  face.set([200, 100, 0], 263 * 3);
  face.set([150, 181, 150], 17 * 3);
  face.set([112, 150, 150], 61 * 3);
  const within = (width: number, height: number) => lipsToBorder(face, { width, height });
  const near = (value: number, expected: number) => assert.ok(Math.abs(value - expected) < 1e-6);
  near(within(300, 190), 0.08);
  near(within(300, 172), -0.1);
  near(within(156, 400), 0.05);
  near(within(800, 800), 1.12);
});

test("a mouth that appears begins as the face's own and ends as the one asked for", () => {
  close(interpolateShape(mesh, asked, 0), [0.2, 0.5, 0, 0, 0, 0, 0, 0, 0.2, 0.4]);
  close(interpolateShape(mesh, asked, 0.5), [0.1, 0.55, 0.5, 0.01, -0.01, 0.5, 0, 0, 0.15, 0.4]);
  close(interpolateShape(mesh, asked, 1), [...asked]);
});

test.run();
