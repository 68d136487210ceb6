import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  hintIn,
  intersectionOverUnion,
  scaledMesh,
} from '../../../src/operations/lip-sync/faces/coordinates.ts';
import type { Box } from '../../../src/triton/clients/face-track.ts';

const test = suite('coordinates of faces');
const size = { width: 64, height: 48 };

test('a mesh is counted from the edge of the small picture, and from the middle of the first pixel of the large one', () => {
  const corners = Float32Array.of(0, 0, 1, 9, 4, -2);
  assert.equal([...scaledMesh(corners, { x: 2, y: 4 })], [-0.5, -0.5, 2, 17.5, 15.5, -4]);
  assert.equal([...scaledMesh(corners, { x: 1, y: 1 })], [-0.5, -0.5, 1, 8.5, 3.5, -2]);
});

test('a hint is a box that a face could fill', () => {
  const half = { x: 2, y: 2 };
  assert.equal(hintIn(size, [-4, 0, 60, 40], half), [[-2, 0, 30, 20]]);
  for (const box of [null, undefined, [9, 9, 9.5, 60], [0, 0, 1e39, 40]] as const)
    assert.equal(hintIn(size, box, half), []);
});

test('intersection over union is 1 for equal boxes, 0 for disjoint ones, and symmetric', () => {
  const box: Box = [10, 10, 30, 20];
  assert.is(intersectionOverUnion(box, box), 1);
  assert.is(intersectionOverUnion(box, [30, 10, 50, 20]), 0);
  const half: Box = [20, 10, 40, 20];
  assert.ok(Math.abs(intersectionOverUnion(box, half) - 1 / 3) < 1e-9);
  assert.is(intersectionOverUnion(box, half), intersectionOverUnion(half, box));
});

test.run();
