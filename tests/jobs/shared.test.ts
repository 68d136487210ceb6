/** Several requests share one job: each of their callers leaves it for itself. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { RECORD_TTL_MS } from '../../src/jobs/record/settings.ts';
import { script } from '../../src/redis/script.ts';
import { realRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';
import { atOnce, freshPlace, onCue, openRig, type Rig } from './rig.ts';

const test = suite<{ rig: Rig }>('a shared job');
const server = await realRedis();
test.before.each(async (context) => {
  context.rig = await openRig(freshPlace(server.url));
  await context.rig.ledger.grant('acme', 1000);
});
test.after.each(async ({ rig }) => {
  assert.equal(await rig.differences(), []);
  assert.equal(await setsOf(rig), []);
  await rig.close();
});
test.after(() => server.close());

/** What is kept of who shares which job. */
const setsOf = async ({ redis, stores }: Rig): Promise<string[]> => [
  ...(await redis.keys(`${stores.prefix}:holders:*`)),
  ...(await redis.keys(`${stores.prefix}:left:*`)),
];
const share = async (rig: Rig, callers: number) => {
  const asked = [];
  for (let count = 0; count < callers; count += 1) asked.push(await rig.ask('a'));
  const [first] = asked;
  if (!first) throw new Error('no caller asked');
  assert.is(new Set(asked.map(({ job }) => job.id)).size, 1);
  return first.job;
};

test('waits on until its last caller has cancelled it', async ({ rig }) => {
  const { id } = await share(rig, 3);
  assert.is((await rig.jobs.cancel('acme', id)).status, 'queued');
  assert.is((await rig.jobs.cancel('acme', id)).status, 'queued');
  assert.equal(await rig.credits(), { balance: 1000, held: 10 });
  assert.ok(existsSync(join(rig.config.files.dir, 'inputs', id)));
  assert.is((await rig.jobs.cancel('acme', id)).status, 'canceled');
  assert.is((await rig.jobs.cancel('acme', id)).status, 'canceled');
  assert.equal(await rig.credits(), { balance: 1000, held: 0 });
  assert.not.ok(existsSync(join(rig.config.files.dir, 'inputs', id)));
});

test('runs on for the caller that stays, who gets its result', async ({ rig }) => {
  const model = onCue();
  await rig.work(model.enhance);
  const job = await share(rig, 2);
  await until('it runs', () => model.started.length === 1);
  const after = await rig.jobs.cancel('acme', job.id);
  assert.equal([after.status, after.cancel_requested], ['processing', false]);
  model.go();
  const done = await rig.ended(job);
  assert.equal([done.status, done.charged], ['succeeded', 10]);
});

test('stops when the last of its callers leaves while it runs', async ({ rig }) => {
  const model = onCue();
  await rig.work(model.enhance);
  const job = await share(rig, 2);
  await until('it runs', () => model.started.length === 1);
  await rig.jobs.cancel('acme', job.id);
  assert.is((await rig.jobs.cancel('acme', job.id)).cancel_requested, true);
  const done = await rig.ended(job);
  assert.equal([done.status, done.charged], ['canceled', 0]);
});

test('is kept when one of its callers erases it, and erased with the last', async ({ rig }) => {
  const { id } = await share(rig, 2);
  const kept = await rig.jobs.erase('acme', id);
  assert.equal([kept.status, kept.erased], ['queued', false]);
  assert.ok(existsSync(join(rig.config.files.dir, 'inputs', id)));
  const gone = await rig.jobs.erase('acme', id);
  assert.equal([gone.status, gone.erased], ['canceled', true]);
  assert.not.ok(existsSync(join(rig.config.files.dir, 'inputs', id)));
});

test('takes a caller that comes after another one left', async ({ rig }) => {
  const { id } = await share(rig, 2);
  await rig.jobs.cancel('acme', id);
  assert.is((await rig.ask('a')).job.id, id);
  assert.is((await rig.jobs.cancel('acme', id)).status, 'queued');
  assert.is((await rig.jobs.cancel('acme', id)).status, 'canceled');
});

test('loses one caller by a cancel that is sent again after a lost connection', async ({ rig }) => {
  const cancel = script(new URL('../../src/jobs/scripts/cancel.lua', import.meta.url), z.string());
  const { id } = await share(rig, 2);
  const call = () => cancel(rig.stores, id, 'acme', 'one call', RECORD_TTL_MS);
  assert.equal([await call(), await call()], ['shared', 'shared']);
  assert.is((await rig.jobs.get('acme', id)).status, 'queued');
  assert.is((await rig.jobs.cancel('acme', id)).status, 'canceled');
});

test('of an older version is cancelled by the first call, and by the second when one joined it', async ({
  rig,
}) => {
  for (const [joiners, statuses] of [
    [0, ['canceled']],
    [1, ['queued', 'canceled']],
  ] as const) {
    const { job } = await rig.ask(`old ${joiners}`);
    await rig.redis.del(`${rig.stores.prefix}:holders:${job.id}`);
    for (let count = 0; count < joiners; count += 1) await rig.ask(`old ${joiners}`);
    for (const status of statuses)
      assert.is((await rig.jobs.cancel('acme', job.id)).status, status, `${joiners} joined`);
  }
});

test('leaves no count behind when it succeeds', async ({ rig }) => {
  await rig.work(atOnce);
  await rig.ended((await rig.ask(randomUUID())).job);
});

test.run();
