import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import { counted } from '../../src/pipeline/take.ts';

const test = suite('take');

/** Gives numbers without end, and tells how many were asked for and whether it was told to stop. */
const endless = () => {
  const seen = { asked: 0, closed: false };
  async function* numbers() {
    try {
      for (;;) {
        seen.asked += 1;
        yield seen.asked;
      }
    } finally {
      seen.closed = true;
    }
  }
  return { seen, numbers: numbers() };
};

test('a decoder that gives more pictures than its packets said is stopped', async () => {
  const { seen, numbers } = endless();
  try {
    for await (const _ of counted(numbers, 10));
    assert.unreachable();
  } catch (error) {
    assert.ok(error instanceof Failure && error.code === 'media_unreadable');
    assert.match(error.message, /more pictures than its packets say, which are 10/);
  }
  assert.equal(seen, { asked: 13, closed: true });
});

test('a picture or two more pass', async () => {
  async function* twelve() {
    for (let at = 0; at < 12; at += 1) yield at;
  }
  let came = 0;
  for await (const _ of counted(twelve(), 10)) came += 1;
  assert.is(came, 12);
});

test.run();
