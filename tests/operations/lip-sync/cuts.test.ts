import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { markCuts } from '../../../src/operations/lip-sync/plan/cuts.ts';

const test = suite('cuts');

/** Indices of the output frames that are marked, of those that show these pictures of the clip. */
const marked = (sources: readonly number[], cuts: readonly number[]): number[] => {
  const frames = sources.map((source, i) => ({ source, time: i, duration: 1, moves: true }));
  return markCuts(frames, cuts).flatMap(({ cut }, i) => (cut ? [i] : []));
};

test('the frame that first shows another shot is marked, at any speed', () => {
  assert.equal(marked([0, 1, 2, 3, 4], [2, 4]), [2, 4]);
  assert.equal(marked([0, 0, 1, 1, 2, 2], [1]), [2]);
  assert.equal(marked([0, 2, 4, 6], [3]), [2]);
});

test('a clip that is played backwards or begins again is cut in the same places', () => {
  assert.equal(marked([0, 1, 2, 3, 2, 1, 0], [2]), [2, 5]);
  assert.equal(marked([0, 1, 2, 3, 0, 1, 2], [2]), [2, 4, 6]);
});

test('a clip of one shot is not cut where it begins again', () => {
  assert.equal(marked([0, 1, 2, 0, 1, 2], []), []);
});

test.run();
