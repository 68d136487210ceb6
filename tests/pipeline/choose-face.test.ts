import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chooseFace, countFaces, fades } from '../../src/pipeline/choose-face.ts';
import type { Sighting } from '../../src/pipeline/track.ts';
import { failing } from '../media/failing.ts';

const test = suite('choice of the face');
const face = (id: number, x: number, width: number): Sighting => ({
  ...{ id, score: 1, mesh: 0, opening: 0 },
  box: [x, 0, x + width, width],
});
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const ids = (chosen: readonly (Sighting | null)[]) => chosen.map((one) => one?.id ?? null);

test('the face that is large for long speaks', () => {
  const [small, large, brief] = [face(1, 0, 40), face(2, 100, 90), face(3, 300, 400)];
  const clip = [...times(2, [small, large, brief]), ...times(18, [small, large])];
  assert.equal(ids(chooseFace(clip, { mode: 'auto' })), times(20, 2));
});

test('who is large only behind the end of the output does not speak', () => {
  const clip = [...times(5, [face(1, 0, 40)]), ...times(20, [face(1, 0, 40), face(2, 100, 90)])];
  assert.equal(ids(chooseFace(clip, { mode: 'auto' }, 5)), times(25, 1));
});

test('a point names the face that holds it, and its person speaks throughout', () => {
  const clip = [[face(1, 0, 40), face(2, 100, 90)], [face(1, 10, 40)], [face(2, 100, 90)]];
  assert.equal(ids(chooseFace(clip, { frame: 0, x: 20, y: 20 })), [1, 1, null]);
});

test('of two faces that hold the point, the one whose middle is nearer speaks', () => {
  const clip = [[face(1, 0, 100), face(2, 60, 100)]];
  assert.equal(ids(chooseFace(clip, { frame: 0, x: 95, y: 50 })), [2]);
});

test('boxes name a face in each frame, whoever it is; null is nobody', () => {
  const clip = [[face(1, 0, 40), face(2, 100, 90)], [face(3, 5, 40)], [face(1, 0, 40)]];
  const boxes = [[0, 0, 42, 38], [0, 0, 40, 40], null] as [number, number, number, number][];
  assert.equal(ids(chooseFace(clip, { boxes })), [1, 3, null]);
});

test('nobody where the caller says is told', async () => {
  const clip = [[face(1, 0, 40)]];
  for (const speaker of [
    { frame: 0, x: 300, y: 20 },
    { frame: 5, x: 20, y: 20 },
  ]) {
    const { message } = await failing(() => chooseFace(clip, speaker), 'speaker_not_found');
    assert.match(message, /no face was found at/);
  }
  const boxes: [number, number, number, number][] = [[200, 0, 240, 40]];
  await failing(() => chooseFace(clip, { boxes }), 'speaker_not_found');
});

test('people are counted, but nobody who is seen for two frames of many', () => {
  assert.is(countFaces([]), 0);
  assert.is(countFaces([[face(1, 0, 40)]]), 1);
  assert.is(
    countFaces([...times(2, [face(1, 0, 40), face(2, 9, 40)]), ...times(9, [face(2, 9, 40)])]),
    1,
  );
});

test('the mouth fades over three frames on both sides of a gap, and not at the ends of the clip', () => {
  const seen = [true, true, true, true, true, false, true, true];
  assert.equal(fades(seen), [1, 1, 0.75, 0.5, 0.25, 0, 0.25, 0.5]);
  assert.equal(fades([true, true]), [1, 1]);
  assert.equal(fades([]), []);
});

test.run();
