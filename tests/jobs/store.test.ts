import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import { newJobId } from '../../src/jobs/record/id.ts';
import { realRedis } from '../real/redis.ts';
import { atOnce, codeOf, freshPlace, openRig } from './rig.ts';

const test = suite('jobs of an account');
const server = await realRedis();
const rig = await openRig(freshPlace(server.url));
await rig.ledger.grant('acme', 10_000);
const ids: string[] = [];
for (const content of ['a', 'b', 'c', 'd', 'e']) {
  ids.unshift((await rig.ask(content, { credits: 1 })).job.id);
}
await rig.jobs.cancel('acme', ids[1] ?? '');
await rig.jobs.cancel('acme', ids[3] ?? '');
test.after(async () => {
  await rig.close();
  await server.close();
});
const list = async (query: Partial<Parameters<typeof rig.jobs.list>[1]> = {}) => {
  const { data, has_more } = await rig.jobs.list('acme', { limit: 10, ...query });
  return [data.map(({ id }) => ids.indexOf(id)), has_more];
};

test('newest first', async () => assert.equal(await list(), [[0, 1, 2, 3, 4], false]));

test('by pages, of which the last says so', async () => {
  assert.equal(await list({ limit: 2 }), [[0, 1], true]);
  assert.equal(await list({ limit: 2, starting_after: ids[1] }), [[2, 3], true]);
  assert.equal(await list({ limit: 2, starting_after: ids[3] }), [[4], false]);
  assert.equal(await list({ limit: 5 }), [[0, 1, 2, 3, 4], false]);
});

test('by status', async () => {
  assert.equal(await list({ status: 'canceled' }), [[1, 3], false]);
  assert.equal(await list({ status: 'canceled', limit: 1 }), [[1], true]);
  assert.equal(await list({ status: 'failed' }), [[], false]);
  assert.equal(await list({ kind: 'upscale', limit: 1, starting_after: ids[3] }), [[4], false]);
});

test('one job alone, with the other filters', async () => {
  const only = ids[1] ?? '';
  assert.equal(await list({ only }), [[1], false]);
  assert.equal(await list({ only, status: 'canceled', starting_after: ids[0] }), [[1], false]);
  for (const other of [{ status: 'queued' }, { starting_after: only }] as const)
    assert.equal(await list({ only, ...other }), [[], false]);
  assert.equal(await list({ only: null }), [[], false]);
});

test('not after a job that is not one of the account', async () => {
  for (const starting_after of ['job_none', newJobId(Date.now())]) {
    const error = await list({ starting_after }).then(String, (reason: unknown) => reason);
    assert.ok(error instanceof Failure && error.code === 'validation_failed');
    assert.equal(
      error.faults.map(({ pointer, code }) => [pointer, code]),
      [['/starting_after', 'invalid_cursor']],
    );
  }
});

test('of no other account', async () => {
  assert.equal(await rig.jobs.list('other', { limit: 10 }), { data: [], has_more: false });
  assert.is(await codeOf(rig.jobs.get('other', ids[0] ?? '')), 'not_found');
  assert.is(await codeOf(rig.jobs.cancel('other', ids[0] ?? '')), 'not_found');
  assert.is(await codeOf(rig.jobs.erase('other', ids[0] ?? '')), 'not_found');
  assert.is(await codeOf(rig.jobs.get('acme', 'job_none')), 'not_found');
});

test('more of them than a page of the index are all found', async () => {
  for (let index = 0; index < 130; index += 1) {
    // As left behind by records that have ended.
    await rig.redis.zadd(`${rig.stores.prefix}:jobs:acme`, 0, newJobId(Date.now()));
  }
  const [found] = await list({ limit: 10, status: 'canceled' });
  assert.equal(found, [1, 3]);
});

test('ids sort by time and are never the same', () => {
  const made = [1, 999, 1_000_000, 1_800_000_000_000, 1_800_000_000_001].map(newJobId);
  assert.equal([...made].sort(), made);
  const now = Date.now();
  assert.is(new Set(Array.from({ length: 1000 }, () => newJobId(now))).size, 1000);
});

test('records of finished jobs end after a month, those of others do not', async () => {
  await rig.work(atOnce);
  const done = await rig.ended((await rig.ask('z')).job);
  const ttl = await rig.redis.pttl(`${rig.stores.prefix}:job:${done.id}`);
  assert.ok(ttl > 29 * 86_400_000 && ttl <= 30 * 86_400_000);
});

test.run();
