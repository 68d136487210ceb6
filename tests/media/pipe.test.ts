import { randomBytes } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openPipe } from '../../src/media/pipe.ts';

const test = suite('pipe');
const sent = randomBytes(1_000_003);

test('what is written comes whole and in order, in one memory', async () => {
  const { writer, chunks } = await openPipe();
  writer.end(sent);
  const came: Buffer[] = [];
  const memories = new Set<ArrayBufferLike>();
  for await (const chunk of chunks) {
    memories.add(chunk.buffer);
    came.push(Buffer.from(chunk));
  }
  assert.is(Buffer.compare(Buffer.concat(came), sent), 0);
  assert.is(memories.size, 1);
});

test('a chunk stays as it is until the next one is asked for', async () => {
  const { writer, chunks, destroy } = await openPipe();
  writer.write(sent);
  for await (const chunk of chunks) {
    const copy = Buffer.from(chunk);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.is(Buffer.compare(chunk, copy), 0);
    assert.is(Buffer.compare(copy, sent.subarray(0, copy.length)), 0);
    break;
  }
  destroy();
  writer.destroy();
});

test('who reads is told why there is no more', async () => {
  const { writer, chunks, destroy } = await openPipe();
  setTimeout(() => destroy(new Error('it hangs')), 20);
  let told = '';
  try {
    for await (const chunk of chunks) assert.unreachable(`${chunk.length} bytes came`);
  } catch (error) {
    told = String(error);
  }
  assert.is(told, 'Error: it hangs');
  writer.destroy();
});

test.run();
