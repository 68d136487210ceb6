import { randomBytes } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openPipe } from '../../src/media/pipe.ts';

const test = suite('pipe');
const sent = randomBytes(1_000_003);

const inParts = (bytes: number) => () => Buffer.alloc(bytes);

test('what is written fills one place after the other, in order; the rest is dropped', async () => {
  const { writer, filled } = await openPipe(inParts(300_000));
  writer.end(sent);
  const came: Buffer[] = [];
  for await (const part of filled) came.push(part);
  assert.equal(
    came.map(({ length }) => length),
    [300_000, 300_000, 300_000],
  );
  assert.is(Buffer.compare(Buffer.concat(came), sent.subarray(0, 900_000)), 0);
});

test('nothing is read while a full place is in use, so one memory may serve for all', async () => {
  const memory = Buffer.alloc(1000);
  const { writer, filled } = await openPipe(() => memory);
  writer.end(sent);
  let at = 0;
  for await (const part of filled) {
    if (at === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.is(Buffer.compare(part, sent.subarray(at, at + 1000)), 0);
    at += 1000;
  }
  assert.is(at, 1_000_000);
});

test('who reads is told why there is no more', async () => {
  const { writer, filled, destroy } = await openPipe(inParts(1000));
  setTimeout(() => destroy(new Error('it hangs')), 20);
  let told = '';
  try {
    for await (const part of filled) assert.unreachable(`${part.length} bytes came`);
  } catch (error) {
    told = String(error);
  }
  assert.is(told, 'Error: it hangs');
  writer.destroy();
});

test.run();
