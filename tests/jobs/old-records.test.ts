/** Records of jobs that another version of the service wrote: fields are missing, or hold something else. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openAttempts } from '../../src/jobs/run/attempts.ts';
import { realRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';
import { atOnce, codeOf, freshPlace, openRig, type Rig } from './rig.ts';

const test = suite<{ rig: Rig }>('jobs of another version');
const server = await realRedis();
test.before.each(async (context) => {
  context.rig = await openRig(freshPlace(server.url));
  await context.rig.ledger.grant('acme', 1000);
});
test.after.each(async ({ rig }) => {
  assert.is((await rig.credits()).held, 0);
  assert.equal(await rig.differences(), []);
  await rig.close();
});
test.after(() => server.close());

const keyOf = ({ stores }: Rig, id: string) => `${stores.prefix}:job:${id}`;
/** What a script may rely on. */
const needed = ['id', 'status', 'fence', 'account', 'held'];
/** Brings a fresh job's record into the state of each case, and answers its id. */
const damages: Readonly<Record<string, (rig: Rig, id: string) => Promise<unknown>>> = {
  'that lacks all but the needed fields': async (rig, id) => {
    const names = await rig.redis.hkeys(keyOf(rig, id));
    const rest = names.filter((name) => !needed.includes(name));
    return rig.redis.hdel(keyOf(rig, id), ...rest);
  },
  'whose other fields are no numbers and no JSON': async (rig, id) => {
    const names = await rig.redis.hkeys(keyOf(rig, id));
    const rest = names.filter((name) => !needed.includes(name));
    for (const name of rest) await rig.redis.hset(keyOf(rig, id), name, '{"x":');
  },
};
const failure = { code: 'record_unreadable' as const, facts: {} };

for (const [says, damage] of Object.entries(damages)) {
  const damaged = async (rig: Rig): Promise<string> => {
    const { job } = await rig.ask('a');
    await damage(rig, job.id);
    return job.id;
  };
  const attemptsOf = (rig: Rig) => openAttempts(rig.stores, rig.config, 60_000);
  const taken = async (rig: Rig, id: string) => {
    const took = await attemptsOf(rig).take({ id, dispatch: 0 }, 'token');
    const [said, which, fence = -1] = took;
    assert.equal([said, which], ['taken', id]);
    return fence;
  };
  const statusOf = (rig: Rig, id: string) => rig.redis.hget(keyOf(rig, id), 'status');

  test(`a job ${says} is found, taken, failed and paid back`, async ({ rig }) => {
    const id = await damaged(rig);
    await rig.redis.zadd(`${rig.stores.prefix}:due`, 0, id);
    const { tickets } = await attemptsOf(rig).due(10);
    assert.equal(tickets, [{ id, dispatch: 0 }]);
    const fence = await taken(rig, id);
    assert.is(await attemptsOf(rig).beat(id, fence, null), 'on');
    assert.is(await attemptsOf(rig).fail(id, fence, failure), 'failed');
    assert.is(await rig.jobs.isUnfinished(id), false);
  });

  test(`a worker fails a job ${says}, says why, and pays it back`, async ({ rig }) => {
    const id = await damaged(rig);
    await rig.redis.zadd(`${rig.stores.prefix}:due`, 0, id);
    await rig.work(atOnce);
    const { job } = await rig.ask('b');
    assert.is((await rig.ended(job)).status, 'succeeded');
    await until('it has failed', async () => (await statusOf(rig, id)) === 'failed');
    const { error, charged } = await rig.jobs.get('acme', id);
    assert.equal([error?.code, charged], ['record_unreadable', 0]);
    assert.match(String(error?.facts.reason), /operation|input/);
  });

  test(`a job ${says} goes back into the queue and is cancelled there`, async ({ rig }) => {
    const id = await damaged(rig);
    const fence = await taken(rig, id);
    assert.is(await attemptsOf(rig).retry(id, fence, { delayMs: 0, counts: false }), 'queued');
    const job = await rig.jobs.cancel('acme', id);
    assert.ok(job.unreadable);
    assert.is(job.status, 'canceled');
  });

  test(`a job ${says} that loses its worker too often fails`, async ({ rig }) => {
    const id = await damaged(rig);
    for (let count = 0; (await statusOf(rig, id)) !== 'failed'; count += 1) {
      assert.ok(count <= rig.config.jobs.attempts, 'it never fails');
      await rig.redis.zadd(`${rig.stores.prefix}:due`, 0, id);
      const [ticket] = (await attemptsOf(rig).due(10)).tickets;
      if (ticket) await attemptsOf(rig).take(ticket, `token ${count}`);
    }
  });

  test(`a job ${says} is erased`, async ({ rig }) => {
    const id = await damaged(rig);
    assert.ok((await rig.jobs.erase('acme', id)).unreadable);
    assert.equal(await rig.redis.hmget(keyOf(rig, id), 'status', 'erased'), ['canceled', '1']);
  });

  test(`a job ${says} is listed, and is nobody else's`, async ({ rig }) => {
    const id = await damaged(rig);
    const { job } = await rig.ask('b');
    const { data, has_more } = await rig.jobs.list('acme', { limit: 10 });
    assert.equal([data.map((one) => one.id), has_more], [[job.id, id], false]);
    assert.ok((await rig.jobs.get('acme', id)).unreadable);
    assert.is(await codeOf(rig.jobs.get('other', id)), 'not_found');
    assert.is(await rig.jobs.isUnfinished(id), true);
    await rig.jobs.cancel('acme', job.id);
    assert.is((await rig.jobs.cancel('acme', id)).status, 'canceled');
  });

  test(`a job ${says} counts in no bound, and does not stop the next one`, async ({ rig }) => {
    const id = await damaged(rig);
    const { job } = await rig.ask('b');
    await rig.jobs.cancel('acme', id);
    await rig.jobs.cancel('acme', job.id);
  });
}

test.run();
