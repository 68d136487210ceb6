import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openGiveWay } from '../../src/operations/give-way.ts';
import type { LoadedModel } from '../../src/triton/clients/model.ts';
import { until } from '../real/until.ts';

/** A server that answers when it is told to, and what it was asked, in this order. */
const server = (slowMs: number, more: Partial<LoadedModel> = {}, servers = 1) => {
  const asked: ((failure?: Error) => void)[] = [];
  const infer = () =>
    new Promise<never[]>((resolve, reject) =>
      asked.push((failure) => (failure ? reject(failure) : resolve([]))),
    );
  const transport = { kind: 'http', servers: () => servers, infer, close: async () => {} } as const;
  const { long, quick } = openGiveWay(transport, slowMs);
  const photo = { slot: 'photo', name: 'photo', release: 'photo-s1', parameters: {} };
  const { infer: ask } = long([{ ...photo, instances: 1, onGpu: false, ...more }]);
  const never = new AbortController().signal;
  return { asked, quick, ask: (signal = never) => ask('photo', [], [], signal) };
};

const messageOf = async (work: Promise<unknown>): Promise<string> => {
  const [ended] = await Promise.allSettled([work]);
  return ended?.status === 'rejected' ? ended.reason.message : '';
};

const test = suite('give way');

test('requests of long jobs wait for one another before a slow model, and leave when they are stopped', async () => {
  const { asked, ask } = server(0);
  const [first, second] = [ask(), ask()];
  const leaving = new AbortController();
  const left = ask(leaving.signal);
  const last = ask();
  assert.is(asked.length, 1);
  leaving.abort(new Error('canceled'));
  assert.is(await messageOf(left), 'canceled');
  for (const [at, answered] of [first, second, last].entries()) {
    asked[at]?.();
    await answered;
  }
  assert.is(asked.length, 3);
});

test('a model that has not answered yet counts as slow, also after a failure, which says nothing of its speed', async () => {
  const { asked, ask } = server(500);
  const [first, second, third] = [ask(), ask(), ask()];
  assert.is(asked.length, 1);
  asked[0]?.(new Error('unavailable'));
  assert.is(await messageOf(first), 'unavailable');
  assert.is(asked.length, 2);
  asked[1]?.();
  await second;
  assert.is(asked.length, 3);
  asked[2]?.();
  await third;
});

test('requests to a model that answers soon, or on a GPU, are sent at once, and one to each instance of a slow one on each server', async () => {
  const sent = async (slowMs: number, more?: Partial<LoadedModel>, servers = 1) => {
    const { asked, ask } = server(slowMs, more, servers);
    const first = ask();
    asked.shift()?.();
    await first;
    const all = [ask(), ask(), ask(), ask()];
    const { length } = asked;
    for (let at = 0; at < 4; at += 1) {
      asked[at]?.();
      await all[at];
    }
    return length;
  };
  assert.is(await sent(500), 4);
  assert.is(await sent(0, { onGpu: true }), 4);
  assert.is(await sent(0, { instances: 2 }), 2);
  assert.is(await sent(0, {}, 3), 3, 'three servers');
  assert.is(await sent(0, {}, 0), 1, 'no server, which the request is to find out');
});

test('while a quick job runs, no long job sends a request for as long again as the last one took', async () => {
  const { asked, ask, quick } = server(0);
  const first = ask();
  let endQuick = () => {};
  const job = quick(() => new Promise<void>((resolve) => (endQuick = resolve)));
  await sleep(300);
  asked[0]?.();
  await first;
  const [second, third] = [ask(), ask()];
  assert.is(asked.length, 1, 'right after its answer');
  await until('the time is over', () => asked.length === 2);
  await sleep(50);
  asked[1]?.();
  await second;
  assert.is(asked.length, 2);
  endQuick();
  await job;
  assert.is(asked.length, 3, 'at the end of the quick job');
  asked[2]?.();
  await third;
});

test.run();
