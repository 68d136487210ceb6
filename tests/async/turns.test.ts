import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openTurns } from '../../src/async/turns.ts';
import { Failure } from '../../src/errors.ts';

const test = suite('turns');
const never = new AbortController().signal;
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Failure ? error.code : String(error)),
  );
/** A work that goes on until it is told to end. */
const held = () => {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => ended, end: () => end() };
};

test('no more works run at a time than are let', async () => {
  const turns = openTurns({ atOnce: 3, waiting: 100, waitMs: 5000 });
  let [running, most] = [0, 0];
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await sleep(2);
    running -= 1;
  };
  await Promise.all(Array.from({ length: 40 }, () => turns.take('a', never, work)));
  assert.is(most, 3);
});

/** The order of works that wait for the only place. The first letter of each is its owner. */
const orderOf = async (usual: readonly string[], quick: readonly string[]): Promise<string[]> => {
  const turns = openTurns({ atOnce: 1, waiting: 100, waitMs: 5000 });
  const order: string[] = [];
  const asking = (take: typeof turns.take) => (name: string) =>
    take(name.charAt(0), never, async () => void order.push(name));
  const first = held();
  const all = [
    turns.take('a', never, first.work),
    ...usual.map(asking(turns.take)),
    ...quick.map(asking(turns.quick.take)),
  ];
  first.end();
  await Promise.all(all);
  return order;
};

test('an owner with many works waits behind one with few', async () => {
  const order = await orderOf(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'], []);
  assert.equal(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('quick works wait behind no others, and others not behind all quick ones', async () => {
  const order = await orderOf(['a1', 'a2'], ['aq1', 'aq2', 'aq3']);
  assert.equal(order, ['aq1', 'a1', 'aq2', 'a2', 'aq3']);
});

test('a place that is kept for quick works is taken by no other, and quick ones take all', async () => {
  const turns = openTurns({ atOnce: 2, kept: 1, waiting: 100, waitMs: 5000 });
  const order: string[] = [];
  const [one, two, three] = [held(), held(), held()];
  const named = (name: string, work: () => Promise<void>) => () => {
    order.push(name);
    return work();
  };
  const usual = turns.take('a', never, named('usual', one.work));
  const waits = turns.take(
    'a',
    never,
    named('waits', async () => {}),
  );
  const quick = turns.quick.take('a', never, named('quick', two.work));
  const late = turns.quick.take('a', never, named('late', three.work));
  await sleep(1);
  assert.equal(order, ['usual', 'quick']);
  one.end();
  await usual;
  await sleep(1);
  // The place that came free is not the kept one: the usual work that waited has it, after one quick one.
  assert.equal(order.slice(0, 3), ['usual', 'quick', 'late']);
  two.end();
  three.end();
  await Promise.all([quick, late, waits]);
  assert.is(order.at(-1), 'waits');
});

test('too many works of one owner, and a turn that does not come in time, are refused', async () => {
  const turns = openTurns({ atOnce: 1, waiting: 1, waitMs: 30 });
  const first = held();
  const running = turns.take('a', never, first.work);
  const late = turns.take('a', never, async () => {});
  assert.is(await codeOf(turns.take('a', never, async () => {})), 'queue_full');
  assert.is(await codeOf(late), 'queue_full');
  assert.is(await codeOf(turns.take('b', never, async () => {})), 'queue_full');
  first.end();
  await running;
  assert.is(await codeOf(turns.take('a', never, async () => {})), 'done');
});

test('whoever gives up leaves the queue, and the next has the turn', async () => {
  const turns = openTurns({ atOnce: 1, waiting: 10, waitMs: 5000 });
  const first = held();
  const running = turns.take('a', never, first.work);
  const given = new AbortController();
  let ran = false;
  const gone = turns.take('a', given.signal, async () => {
    ran = true;
  });
  const next = turns.take('a', never, async () => {});
  given.abort();
  assert.is(await codeOf(gone), 'draining');
  first.end();
  await Promise.all([running, next]);
  assert.not(ran);
  assert.is(await codeOf(turns.take('a', given.signal, async () => {})), 'draining');
});

test('a work that fails gives its turn on', async () => {
  const turns = openTurns({ atOnce: 1, waiting: 10, waitMs: 5000 });
  const failing = turns.take('a', never, async () => {
    throw new Error('of its own');
  });
  const next = turns.take('a', never, async () => {});
  assert.is(await codeOf(failing), 'Error: of its own');
  assert.is(await codeOf(next), 'done');
});

test.run();
