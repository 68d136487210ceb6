/** From a job's end to its receivers. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import { operations } from '../../src/operations/all.ts';
import { idAt } from '../../src/webhooks/delivery.ts';
import { messagesOf } from '../../src/webhooks/fan-out.ts';
import { openWebhooks } from '../../src/webhooks/webhooks.ts';
import { atOnce, freshPlace, onCue } from '../jobs/rig.ts';
import { realRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';
import { callback, openWebhookRig, receiver, verify } from './rig.ts';

const server = await realRedis();
const listener = await receiver();
const rig = await openWebhookRig(freshPlace(server.url));
const model = onCue();
/** Works at once, but for media that says otherwise. */
await rig.work(async (job, ...how) => {
  const [content = ''] = Object.values(job.input).filter((value) => /^sha of/.test(String(value)));
  if (/broken/.test(String(content))) throw new Failure('decode_failed', { reason: 'test' });
  return /slow/.test(String(content)) ? model.enhance(job, ...how) : atOnce(job, ...how);
});
// Two, as two workers have.
const lines: string[] = [];
const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
rig.deliver({ log });
rig.deliver({ log });

const test = suite<{ account: string }>('webhooks');
test.before.each(async (context) => {
  listener.received.length = 0;
  context.account = `acme-${randomUUID().slice(0, 8)}`;
  await rig.ledger.grant(context.account, 1000);
});
test.after.each(async ({ account }) => {
  assert.equal(await rig.differences(account), []);
});
test.after(async () => {
  await rig.close();
  await listener.close();
  await server.close();
});

const logged = async (account: string, count = 1) => {
  const isThere = async () => {
    const log = await rig.delivered(account);
    return log.length === count && log.every(({ status }) => status === 'delivered');
  };
  await until(`${count} deliveries are logged`, isThere);
  return rig.delivered(account);
};

test("a request's webhook_url gets the job with its metadata, signed with the account's secret", async ({
  account,
}) => {
  const url = `${listener.origin}/hook?token=hidden`;
  const { job } = await rig.ask('a', { account, callback: callback(url, { order: '17' }) });
  const done = await rig.ended(job);
  const message = await listener.got();
  const { secret } = await rig.webhooks.endpoints.accountSecret(account);
  assert.equal(verify(secret, message), JSON.parse(message.body));
  assert.throws(() => verify(`whsec_${Buffer.alloc(32).toString('base64')}`, message));
  const { type, timestamp, data } = message.payload;
  assert.is(type, 'job.succeeded');
  assert.is(timestamp, new Date(done.finished_at ?? 0).toISOString());
  assert.equal([data.id, data.status, data.metadata], [job.id, 'succeeded', { order: '17' }]);
  assert.match(JSON.stringify(data.result), `/v1/jobs/${job.id}/result?expires=`);
  assert.is(message.path, '/hook?token=hidden');
  const [one] = await logged(account);
  assert.equal([one?.id, one?.url], [message.headers['webhook-id'], `${listener.origin}/hook`]);
  assert.equal(
    one?.attempts.map(({ status_code, error }) => [status_code, error]),
    [[204, null]],
  );
  const told = lines.filter((line) => line.includes(job.id)).join('');
  assert.match(told, '"msg":"webhook sent"');
  for (const hidden of ['whsec_', secret, 'token=hidden', 'v1,'])
    assert.not.ok(
      lines.some((line) => line.includes(hidden)),
      hidden,
    );
});

test('each end of a job is told as what it is; a cached result too', async ({ account }) => {
  const asked = { account, callback: callback(listener.origin) };
  const { job: slow } = await rig.ask('slow', asked);
  await rig.jobs.cancel(account, slow.id);
  assert.is((await listener.got(1)).payload.type, 'job.canceled');
  await rig.ask('broken', asked);
  const failed = await listener.got(2);
  assert.is(failed.payload.type, 'job.failed');
  assert.match(failed.body, '"code":"decode_failed"');
  await rig.ask('c', asked);
  await listener.got(3);
  const more = { account, callback: callback(listener.origin, { n: '2' }) };
  const { cached, job } = await rig.ask('c', more);
  assert.ok(cached);
  const { data, type } = (await listener.got(4)).payload;
  assert.equal([type, data.id, data.metadata], ['job.succeeded', job.id, { n: '2' }]);
});

test('of requests that share a job each webhook_url is told, each with its own metadata', async ({
  account,
}) => {
  await rig.webhooks.endpoints.create(account, { url: `${listener.origin}/endpoint` });
  const ask = (n: string) =>
    rig.ask('slow a', { account, callback: callback(`${listener.origin}/${n}`, { n }) });
  const first = await ask('1');
  const second = await ask('2');
  await rig.ask('slow a', { account });
  assert.equal([second.joined, second.job.id], [true, first.job.id]);
  for (let left = 0; left < 3; left += 1) await rig.jobs.cancel(account, first.job.id);
  await listener.got(4);
  const told = listener.received.map(({ path, payload }) => `${path} ${payload.data.metadata?.n}`);
  assert.equal(told.sort(), ['/1 1', '/2 2', '/endpoint 1', '/endpoint 2']);
  const ids = new Set(listener.received.map(({ headers }) => headers['webhook-id']));
  assert.is(ids.size, 4);
  assert.equal((await rig.jobs.get(account, first.job.id)).metadata, { n: '1' });
});

test('metadata is no part of the work, and a job tells that of the request that made it', async ({
  account,
}) => {
  const { job } = await rig.ask('a', { account, callback: callback(null, { n: '1' }) });
  await rig.ended(job);
  const again = await rig.ask('a', { account, callback: callback(null, { n: '2' }) });
  assert.equal([again.cached, again.job.metadata], [true, { n: '2' }]);
  assert.equal((await rig.jobs.get(account, job.id)).metadata, { n: '1' });
  assert.equal((await rig.ask('a', { account })).job.metadata, {});
});

test('one job tells at most 100 requests, and says so to the next', async ({ account }) => {
  const { job } = await rig.ask('slow b', { account });
  const callbacks = `${rig.stores.prefix}:callbacks:${job.id}`;
  for (let n = 0; n < 100; n += 1)
    await rig.redis.hset(callbacks, `r${n}`, JSON.stringify(callback(null)));
  try {
    await rig.ask('slow b', { account, callback: callback(listener.origin) });
    assert.unreachable();
  } catch (error) {
    assert.match(String(error), 'for 100 requests that each have metadata or a webhook_url');
  }
  assert.ok((await rig.ask('slow b', { account })).joined);
  await rig.jobs.cancel(account, job.id);
  await rig.jobs.cancel(account, job.id);
  await rig.ended(job);
  assert.is(await rig.redis.exists(callbacks), 0);
});

test('an event is delivered once, however often its entry is moved', async ({ account }) => {
  const { job } = await rig.ask('a', { account });
  await rig.ended(job);
  const entry = { kind: 'event', type: 'job.succeeded', at: Date.now(), job: job.id };
  const callbacks = JSON.stringify([callback(listener.origin)]);
  const text = JSON.stringify({ ...entry, endpoints: '', callbacks });
  const { redis, stores } = rig;
  for (const dueMs of [1, 2, 3]) {
    await redis.hset(`${stores.prefix}:outbox:entries`, 'again', text);
    await redis.zadd(`${stores.prefix}:outbox`, dueMs, 'again');
    await until('it was moved', async () => (await redis.zcard(`${stores.prefix}:outbox`)) === 0);
    await logged(account);
  }
  assert.is(listener.received.length, 1);
});

test('an event whose job has no record is dropped with a line in the log', async () => {
  const entry = { kind: 'event', type: 'job.succeeded', at: Date.now(), job: 'job_gone' };
  const callbacks = JSON.stringify([callback(listener.origin)]);
  const { redis, stores } = rig;
  const text = JSON.stringify({ ...entry, endpoints: '', callbacks });
  await redis.hset(`${stores.prefix}:outbox:entries`, 'of no job', text);
  await redis.zadd(`${stores.prefix}:outbox`, 1, 'of no job');
  await until('it is dropped', async () => (await redis.zcard(`${stores.prefix}:outbox`)) === 0);
  const told = lines.filter((line) => line.includes('job_gone')).map((line) => JSON.parse(line));
  // A deliverer that is stopped for a second hands the entry to the other one, which says it too.
  const { level, entry: id, type } = told[0] ?? {};
  assert.equal([level, id, type], [40, 'of no job', 'job.succeeded']);
  assert.is(listener.received.length, 0);
});

test('an entry that is moved again when an endpoint is gone tells the others nothing twice', async ({
  account,
}) => {
  const url = `${listener.origin}/endpoint`;
  const gone = await rig.webhooks.endpoints.create(account, { url });
  const stays = await rig.webhooks.endpoints.create(account, { url });
  const { job } = await rig.ask('a', { account });
  await rig.ended(job);
  const event = {
    ...({ kind: 'event', type: 'job.succeeded', at: Date.now(), job: job.id } as const),
    endpoints: [gone, stays],
    callbacks: [],
  };
  const { publicUrl } = rig.config.http;
  const shown = { operations, publicUrl, link: () => publicUrl };
  const ask = () =>
    messagesOf('entry', event, { jobs: rig.jobs, endpoints: rig.webhooks.endpoints, shown });
  const idOf = async (endpoint: string) =>
    (await ask())?.find((message) => message.endpoint === endpoint)?.id;
  const before = await idOf(stays);
  await logged(account, 2);
  await rig.webhooks.endpoints.remove(account, gone);
  assert.is(await idOf(gone), undefined);
  assert.is(await idOf(stays), before);
});

test('beyond its bound the log forgets the oldest deliveries, pending ones too', async ({
  account,
}) => {
  const { deliveries } = openWebhooks(rig.stores, {
    ...rig.config,
    webhooks: { ...rig.config.webhooks, accountDeliveries: 3 },
  });
  const now = Date.now();
  const ids: string[] = [];
  for (const [count, forgotten] of [0, 0, 0, 1, 1].entries()) {
    const id = `${idAt(now + count)}0`;
    const what = { type: 'job.failed', job: 'job_1', endpoint: '', body: '{}' } as const;
    const message = { ...what, id, account, url: listener.origin, created_at: now + count };
    assert.equal(await deliveries.expect(message), { isPending: true, forgotten });
    ids.unshift(id);
  }
  const kept = (await rig.delivered(account)).map(({ id }) => id);
  assert.equal(kept, ids.slice(0, 3));
});

test('processing and progress are told to who asks for them, and to nobody else', async ({
  account,
}) => {
  await rig.webhooks.endpoints.create(account, { url: `${listener.origin}/endpoint` });
  const events = ['job.processing', 'job.progress', 'job.succeeded'] as const;
  const own = callback(listener.origin, {}, events);
  const { job } = await rig.ask('slow c', { account, callback: own });
  await listener.got(2);
  model.go();
  await rig.ended(job);
  await listener.got(4);
  const types = (path: string) =>
    listener.received.filter((one) => one.path === path).map(({ payload }) => payload.type);
  assert.equal(types('/').sort(), ['job.processing', 'job.progress', 'job.succeeded']);
  assert.equal(types('/endpoint'), ['job.succeeded']);
  const begun = listener.received.find(({ payload }) => payload.type === 'job.processing');
  assert.equal([begun?.payload.data.status, begun?.payload.data.result], ['processing', null]);
});

test.run();
