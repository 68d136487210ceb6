/** Fair shares between accounts: whose job a free place of a worker gets. */
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import type { JobRecord } from '../../src/jobs/record/record.ts';
import { openAttempts } from '../../src/jobs/run/attempts.ts';
import { untilAborted } from '../real/aborted.ts';
import { until } from '../real/until.ts';
import { atOnce, openRig, quick, type Rig, type Run } from './rig.ts';
import { rigSuite } from './rig-suite.ts';

const test = await rigSuite('turns', ['many', 'some', 'one']);

const limits = (rig: Rig, accountRunning: number, concurrency: number): void => {
  const { config } = rig;
  rig.parts.config = { ...config, jobs: { ...config.jobs, accountRunning, concurrency } };
};
const asked = async (rig: Rig, account: string, count: number): Promise<JobRecord[]> => {
  const jobs: JobRecord[] = [];
  for (let at = 0; at < count; at += 1)
    jobs.push((await rig.ask(`${account} ${at}`, { account })).job);
  return jobs;
};

const idIn = ({ input }: Parameters<Run>[1]): string => basename(input('media'));

/** A model that ends its jobs one by one, when it is told to. */
const oneByOne = () => {
  const started: string[] = [];
  const going = new Map<string, () => void>();
  const run: Run = async (work, places, report, signal) => {
    const id = idIn(places);
    started.push(id);
    const told = new Promise<void>((resolve) => going.set(id, resolve));
    try {
      await Promise.race([told, untilAborted(signal)]);
    } finally {
      going.delete(id);
    }
    return atOnce(work, places, report, signal);
  };
  return {
    run,
    started,
    end: (id: string) => going.get(id)?.(),
    /** Ends the one that runs for the longest time. */
    endOne: () => [...going.values()][0]?.(),
    endAll: () => {
      for (const end of going.values()) end();
    },
  };
};

for (const [accountRunning, concurrency, workers] of [
  [4, 2, 1],
  [4, 1, 2],
  [1, 1, 1],
  [100, 3, 2],
] as const) {
  test(`a caller with one job waits for one job of a caller with 30 (ACCOUNT_RUNNING_LIMIT ${accountRunning}, ${workers} workers with ${concurrency} places)`, async ({
    rig,
    place,
  }) => {
    const rigs = [rig, ...(workers > 1 ? [await openRig(place)] : [])];
    const model = oneByOne();
    for (const one of rigs) {
      limits(one, accountRunning, concurrency);
      await one.work(model.run);
    }
    const many = await asked(rig, 'many', 30);
    const places = Math.min(accountRunning, concurrency * workers);
    await until('all places are taken', () => model.started.length === places);
    const [one] = await asked(rig, 'one', 1);
    assert.ok(one);
    if (places === concurrency * workers) {
      assert.is((await rig.jobs.place(one))?.position, 1);
      model.endOne();
    }
    await until('its job runs', () => model.started.length > places);
    assert.is(model.started[places], one.id);
    const last = many.at(-1);
    assert.ok(last);
    for (const job of many) await rig.jobs.cancel('many', job.id);
    model.endAll();
    assert.is((await rig.ended(one)).status, 'succeeded');
    for (const job of many) await rig.ended(job);
    for (const other of rigs.slice(1)) await other.close();
  });
}

test('how long a job waits is told by what earlier ones took', async ({ rig }) => {
  limits(rig, 4, 1);
  const model = oneByOne();
  await rig.work(model.run);
  const [first, second, third, last] = await asked(rig, 'many', 4);
  assert.ok(first && second && third && last);
  const eta = async (job: JobRecord) => (await rig.jobs.place(job))?.etaSeconds;
  await until('one runs', () => model.started.length === 1);
  const since = performance.now();
  assert.is(await eta(third), null);
  await sleep(1100);
  model.endOne();
  await until('the next one runs', () => model.started.length === 2);
  // What the second still takes, which is at most as long as the first.
  const most = Math.ceil((performance.now() - since) / 1000) + 1;
  const seconds = await eta(third);
  assert.ok(seconds && seconds <= most, `${seconds}, at most ${most}`);
  const later = await eta(last);
  assert.ok(later && later > seconds && later <= 2 * seconds + 1, `${later} after ${seconds}`);
  for (const job of [third, last]) await rig.jobs.cancel('many', job.id);
  model.endAll();
  await rig.ended(second);
});

test('accounts take turns, and their places in the queue say so', async ({ rig }) => {
  limits(rig, 4, 1);
  const many = await asked(rig, 'many', 4);
  const [some, one] = [await asked(rig, 'some', 2), await asked(rig, 'one', 1)];
  const all = [...many, ...some, ...one];
  const places = await Promise.all(all.map(async (job) => (await rig.jobs.place(job))?.position));
  assert.equal(places, [1, 4, 6, 7, 2, 5, 3]);
  const model = oneByOne();
  await rig.work(model.run);
  for (let count = 1; count <= all.length; count += 1) {
    await until('the next one runs', () => model.started.length === count);
    model.endOne();
  }
  const order = [...all].sort(
    (a, b) => (places[all.indexOf(a)] ?? 0) - (places[all.indexOf(b)] ?? 0),
  );
  assert.equal(
    model.started,
    order.map(({ id }) => id),
  );
  for (const job of all) await rig.ended(job);
});

test('an account whose jobs come one by one has every second turn beside one with many', async ({
  rig,
}) => {
  limits(rig, 4, 1);
  const many = await asked(rig, 'many', 4);
  const model = oneByOne();
  await rig.work(model.run);
  const singles: JobRecord[] = [];
  for (let count = 1; count <= 6; count += 1) {
    await until('the next one runs', () => model.started.length === count);
    if (many.some(({ id }) => id === model.started.at(-1)))
      singles.push((await rig.ask(`single ${count}`, { account: 'one' })).job);
    model.endOne();
  }
  const turns = model.started.map((id) => (singles.some((job) => job.id === id) ? 'one' : 'many'));
  assert.equal(turns, ['many', 'one', 'many', 'one', 'many', 'one']);
  await until('the last one runs', () => model.started.length === 7);
  model.endOne();
  for (const job of [...many, ...singles]) await rig.ended(job);
});

test('those who wait longer come first among those who were never served', async ({ rig }) => {
  const attempts = openAttempts(rig.stores, rig.config, 60_000);
  const accountOf = async (token: string) => {
    const [, id = ''] = await attempts.take({ id: '', dispatch: 0 }, token);
    return rig.redis.hget(`${rig.stores.prefix}:job:${id}`, 'account');
  };
  const { prefix } = rig.stores;
  for (const account of ['some', 'one', 'many']) await asked(rig, account, 1);
  assert.equal([await accountOf('1'), await accountOf('2')], ['some', 'one']);
  // Both end, and the accounts begin to wait anew: after the one that has waited all the time.
  for (const id of await rig.redis.smembers(`${prefix}:processing`)) {
    await attempts.fail(id, 1, { code: 'internal_error', facts: {} });
  }
  for (const account of ['one', 'some']) await rig.ask('another', { account });
  const order = [await accountOf('3'), await accountOf('4'), await accountOf('5')];
  assert.equal(order, ['many', 'some', 'one']);
  for (const id of await rig.redis.smembers(`${prefix}:processing`))
    await attempts.fail(id, 1, { code: 'internal_error', facts: {} });
});

test("jobs that wait for a model leave the account's places to its other jobs", async ({ rig }) => {
  limits(rig, 1, 1);
  const [away, fine] = await asked(rig, 'one', 2);
  await rig.work(
    async (work, places, ...rest) => {
      if (idIn(places) === away?.id) throw new Failure('model_unavailable', { model: 'photo' });
      return atOnce(work, places, ...rest);
    },
    { unavailableMs: 60_000 },
  );
  assert.ok(away && fine);
  assert.is((await rig.ended(fine)).status, 'succeeded');
  const { status, held } = await rig.jobs.get('one', away.id);
  assert.equal([status, held], ['queued', 10]);
  assert.is((await rig.jobs.place(away))?.position, 1);
  await rig.jobs.cancel('one', away.id);
});

/** A worker and the long jobs of an account, of which so many run. */
const withLong = async (rig: Rig, count: number, places: number) => {
  const model = oneByOne();
  await rig.work(model.run);
  const long = await asked(rig, 'many', count);
  await until('long jobs run', () => model.started.length === places);
  return { model, long };
};

test('while long jobs have all places, quick jobs run beside them, one at a time and in turns', async ({
  rig,
}) => {
  limits(rig, 2, 2);
  const { model, long } = await withLong(rig, 3, 2);
  const askQuick = async (name: string, account: string) =>
    (await rig.ask(name, { account, quick: true })).job;
  // Its account runs as many jobs as it may, which holds up its long jobs alone.
  const own = await askQuick('own', 'many');
  await until('it runs', () => model.started.length === 3);
  const [second, third] = [await askQuick('second', 'many'), await askQuick('third', 'one')];
  await sleep(10 * quick.lookMs);
  assert.equal(model.started.slice(2), [own.id]);
  // The long job that waits in front of them does not count.
  const places = [second, third].map(async (job) => (await rig.jobs.place(job))?.position);
  assert.equal(await Promise.all(places), [2, 1]);
  for (const next of [own, third, second]) {
    await until('it runs', () => model.started.at(-1) === next.id);
    model.end(next.id);
    assert.is((await rig.ended(next)).status, 'succeeded');
  }
  await sleep(10 * quick.lookMs);
  assert.is(model.started.length, 5);
  assert.equal(await rig.redis.keys(`${rig.stores.prefix}:quick-*`), []);
  for (const job of long) await rig.jobs.cancel('many', job.id);
  for (const job of long) await rig.ended(job);
});

test('quick jobs get no more places than there are while none has a long job', async ({ rig }) => {
  limits(rig, 4, 2);
  const { model, long } = await withLong(rig, 1, 1);
  const pictures: JobRecord[] = [];
  for (const name of ['a', 'b', 'c'])
    pictures.push((await rig.ask(name, { account: 'one', quick: true })).job);
  await until('one of them runs', () => model.started.length === 2);
  await sleep(10 * quick.lookMs);
  assert.is(model.started.length, 2);
  for (const job of pictures) {
    await until('it runs', () => model.started.at(-1) === job.id);
    model.end(job.id);
  }
  model.endAll();
  for (const job of [...pictures, ...long]) await rig.ended(job);
});

test("where a place is free, an account's long jobs do not hold up its picture, however few it may run", async ({
  rig,
}) => {
  limits(rig, 1, 2);
  const { model, long } = await withLong(rig, 1, 1);
  const { job } = await rig.ask('own', { account: 'many', quick: true });
  await until('the picture runs too', () => model.started.length === 2);
  model.end(job.id);
  assert.is((await rig.ended(job)).status, 'succeeded');
  model.endAll();
  for (const each of long) await rig.ended(each);
});

test('a picture that will probably take longer than five minutes is not quick', async ({ rig }) => {
  await rig.redis.hset(`${rig.stores.prefix}:speeds`, 'photo@r1', '30000');
  const isQuick = async (credits: number) => {
    const { job } = await rig.ask(`${credits}`, { account: 'one', credits, quick: true });
    await rig.jobs.cancel('one', job.id);
    return job.quick;
  };
  assert.equal([await isQuick(10), await isQuick(11)], [true, false]);
});

test('jobs that an older version queued or left running get their turns', async ({ rig }) => {
  const { redis, stores } = rig;
  const [waits, runs] = await asked(rig, 'one', 2);
  assert.ok(waits && runs);
  const attempts = openAttempts(stores, rig.config, 60_000);
  await attempts.take({ id: waits.id, dispatch: 1 }, 'token');
  // What it did not know: who is ready and runs, for each account.
  const unknown = ['ready:one', 'running:one', 'turns', 'stamps', 'stamp'];
  await redis.del(unknown.map((name) => `${stores.prefix}:${name}`));
  // What it knew better: a job that has ended, and one that it took, which it does not know to be quick.
  await redis.sadd(`${stores.prefix}:running:one`, 'job_ended');
  await redis.zadd(`${stores.prefix}:quick-ready:one`, 0, 'job_taken');
  await redis.zadd(`${stores.prefix}:quick-turns`, 0, 'one');
  assert.is(await attempts.adopt(), 2);
  assert.is(await attempts.adopt(), 0);
  assert.equal(await redis.smembers(`${stores.prefix}:running:one`), [waits.id]);
  assert.equal(await redis.keys(`${stores.prefix}:quick-*`), []);
  await redis.zadd(`${stores.prefix}:due`, 0, waits.id);
  await rig.work(atOnce);
  for (const job of [waits, runs]) assert.is((await rig.ended(job)).status, 'succeeded');
});

test.run();
