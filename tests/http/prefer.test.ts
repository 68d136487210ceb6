import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { waitOf } from '../../src/http/answer/prefer.ts';

const limit = 900_000;
const cases: readonly [string, ReturnType<typeof waitOf>][] = [
  ['', { ms: limit, applied: '', asJob: false }],
  ['respond-async', { ms: 0, applied: 'respond-async', asJob: true }],
  ['Respond-Async', { ms: 0, applied: 'respond-async', asJob: true }],
  ['wait=10', { ms: 10_000, applied: 'wait=10', asJob: false }],
  ['wait="10"; x=y', { ms: 10_000, applied: 'wait=10', asJob: false }],
  ['wait=0', { ms: 0, applied: 'wait=0', asJob: false }],
  ['respond-async, wait=5', { ms: 5000, applied: 'respond-async, wait=5', asJob: false }],
  ['wait=100000', { ms: limit, applied: 'wait=900', asJob: false }],
  ['wait=5, wait=7', { ms: 5000, applied: 'wait=5', asJob: false }],
  ['wait=-1', { ms: limit, applied: '', asJob: false }],
  ['wait=soon, return=minimal', { ms: limit, applied: '', asJob: false }],
];

for (const [header, expected] of cases) {
  test(`"${header}" is understood`, () => {
    assert.equal(waitOf(header, limit), expected);
  });
}

test.run();
