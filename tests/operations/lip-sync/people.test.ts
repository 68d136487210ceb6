import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  collectLikenesses,
  identifyPeople,
  inShot,
  separateShots,
} from '../../../src/operations/lip-sync/faces/people.ts';

const test = suite('people of a clip');
const likeness = (x: number) => Float32Array.of(x, 0);
const seen = (...pictures: readonly number[][]) => pictures.map((ids) => ids.map((id) => ({ id })));
const ids = (sightings: readonly (readonly { readonly id: number }[])[]) =>
  sightings.map((faces) => faces.map(({ id }) => id));

test('a face that comes back after a cut is the same person', () => {
  const likenesses = new Map([
    [0, [likeness(0), likeness(0.5)]],
    [1, [likeness(5)]],
    [2, [likeness(0.6)]],
  ]);
  assert.equal(ids(identifyPeople(seen([0], [0], [1], [2], [2]), likenesses)), [
    [0],
    [0],
    [1],
    [0],
    [0],
  ]);
});

test('where all pictures show one face at most, the limit for the same person is higher', () => {
  const likenesses = new Map([
    [0, [likeness(0)]],
    [1, [likeness(0.27)]],
    [2, [likeness(0.6)]],
  ]);
  assert.equal(ids(identifyPeople(seen([0], [1], [2]), likenesses)), [[0], [0], [1]]);
  assert.equal(ids(identifyPeople(seen([0, 2], [1]), likenesses)), [[0, 1], [2]]);
});

test('two faces in one picture are two people, however alike, and each keeps the closer one', () => {
  const likenesses = new Map([
    [0, [likeness(0)]],
    [1, [likeness(0.2)]],
    [2, [likeness(0.19)]],
    [3, [likeness(0.01)]],
  ]);
  assert.equal(ids(identifyPeople(seen([0, 1], [2, 3]), likenesses)), [
    [0, 1],
    [1, 0],
  ]);
});

test('a joined person has the pictures of both faces: a third face in one of them stays another person', () => {
  const likenesses = new Map([
    [0, [likeness(0)]],
    [1, [likeness(0.1)]],
    [2, [likeness(0.2)]],
  ]);
  assert.equal(ids(identifyPeople(seen([0], [1, 2], [0]), likenesses)), [[0], [0, 1], [0]]);
});

test('a face without a likeness is another person, and ids count from 0', () => {
  const likenesses = new Map([[7, [likeness(0)]]]);
  assert.equal(ids(identifyPeople(seen([], [7], [9], [7]), likenesses)), [[], [0], [1], [0]]);
  assert.equal(identifyPeople([], new Map()), []);
});

test('of many likenesses those are kept that are spread over the time', () => {
  const likenesses = collectLikenesses();
  for (let i = 0; i < 100; i += 1) likenesses.add(3, likeness(i));
  const kept = (likenesses.kept().get(3) ?? []).map(([x]) => x ?? Number.NaN);
  assert.equal(
    kept,
    Array.from({ length: 13 }, (_, i) => i * 8),
  );
});

test('a face whose likeness changes with a dissolve is another person from there on, and in between neither', () => {
  const four = (x: number) => [likeness(x), likeness(x), likeness(x), likeness(x)];
  const shots = [0, null, 1, null, 2];
  const separate = (middle: Float32Array[]) =>
    separateShots(
      seen([3], [3], [3, 4], [3, 4], [3]),
      new Map([
        [inShot(3, 0), four(0)],
        [inShot(3, 1), middle],
        [inShot(3, 2), four(0.1)],
      ]),
      shots,
    );
  const [other, back] = [inShot(3, 1), inShot(3, 2)];
  const { sightings, likenesses } = separate(four(1));
  assert.equal(ids(sightings), [[3], [], [other, inShot(4, 1)], [inShot(4, 1)], [back]]);
  assert.equal(ids(identifyPeople(sightings, likenesses)), [[0], [], [1, 2], [2], [0]]);
  for (const few of [four(0.2), four(1).slice(1), []])
    assert.equal(
      ids(separate(few).sightings).map((all) => all[0]),
      [3, 3, 3, 3, 3],
    );
});

test.run();
