import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openIdempotency } from '../../src/jobs/submit/idempotency.ts';
import { realRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';
import { codeOf, freshPlace, openRig } from './rig.ts';

const test = suite('idempotency keys');
const server = await realRedis();
const rig = await openRig(freshPlace(server.url));
await rig.ledger.grant('acme', 1000);
const idempotency = openIdempotency(rig.stores);
test.after(async () => {
  assert.equal(await rig.differences(), []);
  await rig.close();
  await server.close();
});

const claimed = async (key: string, from = idempotency) => {
  const begun = await from.begin('acme', key, 'hash');
  if (begun.state !== 'new') throw new Error(`the key is not new: ${begun.state}`);
  return begun.claim;
};

test('of many requests at once under one key, one goes on', async () => {
  const codes = await Promise.all(
    Array.from({ length: 10 }, () => codeOf(idempotency.begin('acme', 'race', 'hash'))),
  );
  assert.is(codes.filter((code) => code === 'none').length, 1);
  assert.is(codes.filter((code) => code === 'idempotency_in_progress').length, 9);
});

test('once a job exists, the key leads to it', async () => {
  const claim = await claimed('job');
  const { job } = await rig.ask('a', { idempotency: claim });
  const again = await idempotency.begin('acme', 'job', 'hash');
  assert.equal(again, { state: 'job', jobId: job.id, joined: false });
});

test('a key names its job, to its account alone, and says that the job is still being made', async () => {
  const jobId = (key: string, account = 'acme') => idempotency.jobId(account, key);
  assert.is(await jobId('named'), null);
  const claim = await claimed('named');
  assert.is(await codeOf(jobId('named')), 'idempotency_in_progress');
  const { job } = await rig.ask('named', { idempotency: claim });
  assert.equal([await jobId('named'), await jobId('named', 'other')], [job.id, null]);
  const answered = await claimed('answered');
  await idempotency.answer(answered, 'no job');
  assert.is(await jobId('answered'), null);
});

test('a request that joined a job is told as one that joined', async () => {
  const { job } = await rig.ask('b');
  await rig.ask('b', { idempotency: await claimed('joined') });
  const again = await idempotency.begin('acme', 'joined', 'hash');
  assert.equal(again, { state: 'job', jobId: job.id, joined: true });
});

test('another request under the key is refused, before and after the job', async () => {
  const claim = await claimed('reused');
  assert.is(await codeOf(idempotency.begin('acme', 'reused', 'other')), 'idempotency_key_reused');
  await rig.ask('c', { idempotency: claim });
  assert.is(await codeOf(idempotency.begin('acme', 'reused', 'other')), 'idempotency_key_reused');
});

test('the same key of another account is another key', async () => {
  await claimed('mine');
  assert.is((await idempotency.begin('other', 'mine', 'hash')).state, 'new');
});

test('a refusal frees the key', async () => {
  const claim = await claimed('refused');
  assert.is(
    await codeOf(rig.ask('d', { credits: 5000, idempotency: claim })),
    'insufficient_credits',
  );
  await idempotency.free(claim);
  assert.is((await idempotency.begin('acme', 'refused', 'other')).state, 'new');
});

test('a key with a job cannot be freed any more', async () => {
  const claim = await claimed('late');
  await rig.ask('e', { idempotency: claim });
  await idempotency.free(claim);
  assert.is((await idempotency.begin('acme', 'late', 'hash')).state, 'job');
});

test('an answer without a job is kept as it was', async () => {
  const claim = await claimed('upload');
  await idempotency.answer(claim, { id: 'upl_1', bytes: 5 });
  const again = await idempotency.begin('acme', 'upload', 'hash');
  assert.equal(again, { state: 'answer', answer: { id: 'upl_1', bytes: 5 } });
});

test('the claim of a server that died ends by itself, and the dead one makes no job then', async () => {
  const hasty = openIdempotency(rig.stores, 30);
  const dead = await claimed('crash', hasty);
  await new Promise((resolve) => setTimeout(resolve, 60));
  const claim = await claimed('crash');
  assert.is(await codeOf(rig.ask('f', { idempotency: dead })), 'idempotency_in_progress');
  assert.is((await rig.ask('f', { idempotency: claim })).joined, false);
  await hasty.free(dead);
  assert.is((await idempotency.begin('acme', 'crash', 'hash')).state, 'job');
});

test('the claim of a request that works for long is kept, and ends soon after the request', async () => {
  const hasty = openIdempotency(rig.stores, 3_000);
  const claim = await claimed('long', hasty);
  const stop = hasty.renewing(claim);
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  assert.is(await codeOf(hasty.begin('acme', 'long', 'hash')), 'idempotency_in_progress');
  stop();
  const free = async () => (await codeOf(hasty.begin('acme', 'long', 'hash'))) === 'none';
  await until('another request has it', free);
});

test('a claim that ended while its request worked on is taken again, unless another request has it', async () => {
  // Renewed every second: just after that there is time to put another claim in its place.
  const hasty = openIdempotency(rig.stores, 3_000);
  const claim = await claimed('lapsed', hasty);
  await rig.redis.del(claim.key);
  const stop = hasty.renewing(claim);
  const holder = () => rig.redis.hget(claim.key, 'token');
  await until('it is taken again', async () => (await holder()) === claim.token);
  await rig.redis.del(claim.key);
  const other = await claimed('lapsed');
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  assert.is(await holder(), other.token);
  stop();
});

test('keys are kept for a day', async () => {
  await rig.ask('g', { idempotency: await claimed('day') });
  for (const key of await rig.redis.keys(`${rig.stores.prefix}:idempotency:*`)) {
    const ttl = await rig.redis.pttl(key);
    assert.ok(ttl > 0 && ttl <= 86_400_000, `${key} lives ${ttl} ms`);
  }
});

test.run();
