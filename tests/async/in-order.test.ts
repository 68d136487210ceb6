import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inOrder } from '../../src/async/in-order.ts';

const test = suite('in order');

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

test('results keep the order of the source when later work ends first', async () => {
  const work = async (ms: number) => {
    await sleep(ms);
    return ms;
  };
  assert.equal(await collect(inOrder([30, 1, 20, 2], 3, work)), [30, 1, 20, 2]);
});

test('an empty source gives nothing', async () => {
  assert.equal(await collect(inOrder([], 2, async (item) => item)), []);
});

test('never more than the width is in flight, and that much is used', async () => {
  let running = 0;
  let most = 0;
  const work = async (item: number) => {
    running += 1;
    most = Math.max(most, running);
    await sleep(2);
    running -= 1;
    return item;
  };
  await collect(inOrder([1, 2, 3, 4, 5, 6, 7], 3, work));
  assert.is(most, 3);
});

test('the source is not pulled further than the width ahead of a slow consumer', async () => {
  let pulled = 0;
  function* source() {
    for (let index = 0; index < 100; index += 1) {
      pulled += 1;
      yield index;
    }
  }
  for await (const item of inOrder(source(), 2, async (index) => index)) {
    assert.ok(pulled <= item + 2, `${pulled} pulled when ${item} was consumed`);
    if (item === 5) break;
  }
  assert.ok(pulled <= 7);
});

test('a failure is thrown in its turn, after the work beside it has ended, and closes the source', async () => {
  const ended: number[] = [];
  let closed = false;
  function* source() {
    try {
      yield* [0, 1, 2, 3];
    } finally {
      closed = true;
    }
  }
  const work = async (item: number) => {
    await sleep(item === 1 ? 1 : 10);
    ended.push(item);
    if (item === 1) throw new Error('one is bad');
    return item;
  };
  const seen: number[] = [];
  let message = '';
  try {
    for await (const item of inOrder(source(), 3, work)) seen.push(item);
  } catch (error) {
    message = String(error);
  }
  assert.is(message, 'Error: one is bad');
  assert.equal(seen, [0]);
  assert.equal(ended.sort(), [0, 1, 2, 3].slice(0, ended.length));
  assert.ok(closed);
});

test('a source that fails lets the work in flight end', async () => {
  let ended = 0;
  async function* source() {
    yield 1;
    throw new Error('torn');
  }
  const work = async () => {
    await sleep(5);
    ended += 1;
  };
  let message = '';
  try {
    await collect(inOrder(source(), 4, work));
  } catch (error) {
    message = String(error);
  }
  assert.is(message, 'Error: torn');
  assert.is(ended, 1);
});

test.run();
