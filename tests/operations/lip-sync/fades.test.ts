import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fades } from '../../../src/operations/lip-sync/render/fades.ts';

const test = suite('fades');

test('the mouth fades over five frames on both sides of a gap, and not at the ends of the clip', () => {
  const seen = [true, true, true, true, true, true, true, false, true, true];
  assert.equal(fades(seen), [1, 1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6, 0, 1 / 6, 2 / 6]);
  assert.equal(fades([true, true]), [1, 1]);
  assert.equal(fades([]), []);
});

test.run();
