import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sharedInRound, sharedInTurn } from '../../src/async/share.ts';

const test = suite('shared in a turn');

/** Counts how often each key was asked for. */
const counted = (shared = sharedInTurn) => {
  const runs: string[] = [];
  const ask = shared(
    (key: string) => key,
    async (key) => {
      runs.push(key);
      await sleep(20);
      return runs.length;
    },
  );
  return { runs, ask };
};

test('calls that are woken by one message are one run for each key, and get its answer', async () => {
  const { runs, ask } = counted();
  const message = sleep(1);
  const woken = async (key: string) => {
    await message;
    // Some take more steps than others.
    if (key === 'b') await Promise.resolve();
    return ask(key);
  };
  const answers = await Promise.all(['a', 'b', 'a', 'b'].map(woken));
  assert.equal(runs, ['a', 'b']);
  assert.is(answers[0], answers[2]);
  assert.is(answers[1], answers[3]);
});

test('a call from the next callback is a run of its own, though the one before is not over', async () => {
  const { runs, ask } = counted();
  const asked: Promise<number>[] = [];
  await new Promise<void>((resolve) => {
    // Two timers that are due together are called one after the other, in the same phase of the event loop.
    setTimeout(() => asked.push(ask('a')), 1);
    setTimeout(() => resolve(void asked.push(ask('a'))), 1);
  });
  assert.is(new Set(await Promise.all(asked)).size, 1);
  assert.equal(runs, ['a', 'a']);
});

test('calls of one round of the event loop are one run, and a call of the next round is another', async () => {
  const { runs, ask } = counted(sharedInRound);
  const round = () =>
    new Promise<readonly Promise<number>[]>((resolve) => {
      const asked: Promise<number>[] = [];
      // Two callbacks of the same phase.
      setImmediate(() => asked.push(ask('a')));
      setImmediate(() => resolve([...asked, ask('a'), ask('b')]));
    });
  const [first, second] = await Promise.all(await round());
  assert.is(first, second);
  assert.equal(runs, ['a', 'b']);
  await Promise.all(await round());
  assert.equal(runs, ['a', 'b', 'a', 'b']);
});

test('a failure is told to all, and is not kept', async () => {
  let runs = 0;
  const ask = sharedInTurn(
    () => 'a',
    async () => {
      runs += 1;
      await sleep(1);
      if (runs === 1) throw new Error('once');
      return 'well';
    },
  );
  const both = await Promise.allSettled([ask(), ask()]);
  assert.equal(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.is(await ask(), 'well');
});

test.run();
