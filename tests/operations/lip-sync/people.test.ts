import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asPeople, collectLooks } from '../../../src/operations/lip-sync/faces/people.ts';

const test = suite('people of a clip');
const look = (x: number, y = 0) => Float32Array.of(x, y);
const seen = (...pictures: readonly number[][]) => pictures.map((ids) => ids.map((id) => ({ id })));
const ids = (sightings: readonly (readonly { readonly id: number }[])[]) =>
  sightings.map((faces) => faces.map(({ id }) => id));

test('a face that comes back after a cut is the same person', () => {
  const looks = new Map([
    [0, [look(0), look(0.5)]],
    [1, [look(5)]],
    [2, [look(0.6)]],
  ]);
  assert.equal(ids(asPeople(seen([0], [0], [1], [2], [2]), looks)), [[0], [0], [1], [0], [0]]);
});

test('who is never seen beside anybody is known again more readily', () => {
  const looks = new Map([
    [0, [look(0)]],
    [1, [look(0.27)]],
    [2, [look(0.6)]],
  ]);
  assert.equal(ids(asPeople(seen([0], [1], [2]), looks)), [[0], [0], [1]]);
  assert.equal(ids(asPeople(seen([0, 2], [1]), looks)), [[0, 1], [2]]);
});

test('two faces in one picture are two people, however alike, and each keeps the closer one', () => {
  const looks = new Map([
    [0, [look(0)]],
    [1, [look(0.2)]],
    [2, [look(0.19)]],
    [3, [look(0.01)]],
  ]);
  assert.equal(ids(asPeople(seen([0, 1], [2, 3]), looks)), [
    [0, 1],
    [1, 0],
  ]);
});

test('who is joined keeps the pictures of both: a third that is in one of them stays apart', () => {
  const looks = new Map([
    [0, [look(0)]],
    [1, [look(0.1)]],
    [2, [look(0.2)]],
  ]);
  assert.equal(ids(asPeople(seen([0], [1, 2], [0]), looks)), [[0], [0, 1], [0]]);
});

test('a face without a look is somebody else, and ids count from 0', () => {
  const looks = new Map([[7, [look(0)]]]);
  assert.equal(ids(asPeople(seen([], [7], [9], [7]), looks)), [[], [0], [1], [0]]);
  assert.equal(asPeople([], new Map()), []);
});

test('of many looks those are kept that are spread over the time', () => {
  const looks = collectLooks();
  for (let i = 0; i < 100; i += 1) looks.add(3, look(i));
  const kept = (looks.kept().get(3) ?? []).map(([x]) => x ?? Number.NaN);
  assert.equal(kept, [0, 16, 32, 48, 64, 80, 96]);
});

test.run();
