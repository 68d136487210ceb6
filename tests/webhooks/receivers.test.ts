/** Receivers that are down, slow, elsewhere, gone or not allowed: what the log says, and what follows. */
import { randomUUID } from 'node:crypto';
import dns, { type LookupOptions } from 'node:dns';
import type { ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { WebhookDelivery } from '../../src/contract/webhooks.ts';
import { bodyOf, idAt } from '../../src/webhooks/delivery.ts';
import { openShares } from '../../src/webhooks/shares.ts';
import { openWebhooks } from '../../src/webhooks/webhooks.ts';
import { atOnce, freshPlace } from '../jobs/rig.ts';
import { testConfig } from '../real/config.ts';
import { freePorts } from '../real/ports.ts';
import { realRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';
import { callback, openWebhookRig, receiver } from './rig.ts';

const server = await realRedis();
const target = await receiver();
const withStatus = (status: number, headers = {}) =>
  receiver((_, response) => {
    response.writeHead(status, headers).end();
  });
const settings = { WEBHOOK_RETRY_SECONDS: '0.05,0.05', WEBHOOK_DISABLE_DAYS: '1' };
const rig = await openWebhookRig(freshPlace(server.url), settings);
await rig.work(atOnce);
rig.deliver();

const test = suite<{ account: string }>('receivers');
test.before.each(async (context) => {
  target.received.length = 0;
  context.account = `acme-${randomUUID().slice(0, 8)}`;
  await rig.ledger.grant(context.account, 1000);
});
test.after.each(async ({ account }) => {
  assert.equal(await rig.differences(account), []);
});
test.after(async () => {
  await rig.close();
  await target.close();
  await server.close();
});

/** Of a job whose request has this webhook_url, or none: the account's only delivery when it has ended. */
const ended = async (account: string, url: string | null): Promise<WebhookDelivery> => {
  await rig.ask('a', { account, ...(url !== null && { callback: callback(url) }) });
  const delivery = await over(account);
  // Whatever became of it, the job was done and paid once.
  assert.equal(await rig.credits(account), { balance: 990, held: 0 });
  return delivery;
};
const over = async (account: string, from = rig): Promise<WebhookDelivery> => {
  const log = () => from.delivered(account);
  await until('it has ended', async () => {
    const [one] = await log();
    return one !== undefined && one.status !== 'pending';
  });
  const [one, another] = await log();
  if (!one || another) throw new Error('expected one delivery');
  return one;
};
const errors = ({ attempts }: WebhookDelivery) => attempts.map(({ error }) => error);

test('one that is down gets every attempt of the schedule, then the delivery has failed', async ({
  account,
}) => {
  const [port = 0] = await freePorts(1);
  const delivery = await ended(account, `http://127.0.0.1:${port}/`);
  assert.equal([delivery.status, delivery.attempts_made], ['failed', 3]);
  assert.equal(errors(delivery), Array(3).fill('the server could not be reached'));
});

test('each further attempt is planned for when the schedule says, and up to a tenth later', async ({
  account,
}) => {
  const broken = await withStatus(500);
  const other = await openWebhookRig(freshPlace(server.url), { WEBHOOK_RETRY_SECONDS: '600,60' });
  await other.ledger.grant(account, 1000);
  await other.work(atOnce);
  other.deliver();
  await other.ask('a', { account, callback: callback(broken.origin) });
  const first = async () => (await other.delivered(account))[0];
  await until('it was tried', async () => (await first())?.attempts_made === 1);
  const one = await first();
  assert.is(one?.status, 'pending');
  const [tried] = one?.attempts ?? [];
  const endedAt = Date.parse(tried?.at ?? '') + (tried?.duration_ms ?? 0);
  const seconds = (Date.parse(one?.next_attempt_at ?? '') - endedAt) / 1000;
  // A minute for a machine that stands still meanwhile.
  assert.ok(seconds >= 600 && seconds <= 660 + 60, `${seconds} s`);
  await other.close();
  await broken.close();
});

test('one that comes back gets the same message, under the same id and signed anew', async ({
  account,
}) => {
  const statuses = [500, 503];
  const back = await receiver((_, response) => {
    response.writeHead(statuses.shift() ?? 200).end('ok');
  });
  const delivery = await ended(account, back.origin);
  assert.equal([delivery.status, delivery.attempts_made], ['delivered', 3]);
  assert.equal(errors(delivery), [
    'expected a status of 200 to 299; got 500',
    'expected a status of 200 to 299; got 503',
    null,
  ]);
  assert.is(new Set(back.received.map(({ body }) => body)).size, 1);
  assert.is(new Set(back.received.map(({ headers }) => headers['webhook-id'])).size, 1);
  await back.close();
});

test('one that answers 200 too late has failed, and so has one that never answers', async ({
  account,
}) => {
  const held: ServerResponse[] = [];
  const slow = await receiver((_, response) => void held.push(response));
  const other = await openWebhookRig(freshPlace(server.url), { WEBHOOK_RETRY_SECONDS: '0.05' });
  const { webhooks } = other.config;
  await other.ledger.grant(account, 1000);
  await other.work(atOnce);
  other.deliver({ config: { ...other.config, webhooks: { ...webhooks, timeoutMs: 300 } } });
  await other.ask('a', { account, callback: callback(slow.origin) });
  const delivery = await over(account, other);
  assert.equal([delivery.status, delivery.attempts_made], ['failed', 2]);
  assert.equal(errors(delivery), Array(2).fill('no answer came within 0.3 s'));
  await until('the connections are closed', () => held.every(({ destroyed }) => destroyed));
  assert.equal(await other.credits(account), { balance: 990, held: 0 });
  await other.close();
  await slow.close();
});

test('one account with slow receivers leaves places to the others', async ({ account }) => {
  const held: ServerResponse[] = [];
  const slow = await receiver((_, response) => void held.push(response));
  const asked = { account, callback: callback(slow.origin) };
  const { job } = await rig.ask('a', asked);
  await rig.ended(job);
  for (let count = 1; count < 11; count += 1) assert.ok((await rig.ask('a', asked)).cached);
  await until('as many are sent as one account may have', () => held.length === 10);
  const other = `other-${account}`;
  await rig.ledger.grant(other, 1000);
  await rig.ask('a', { account: other, callback: callback(target.origin) });
  await target.got();
  assert.is(held.length, 10);
  for (const response of held) response.writeHead(204).end();
  await until('the last one is sent', () => held.length === 11);
  held[10]?.writeHead(204).end();
  const isOver = async () =>
    (await rig.delivered(account)).every(({ status }) => status === 'delivered');
  await until('all are delivered', isOver);
  await slow.close();
});

test('an answer without an end counts by its status, and only its beginning is read', async ({
  account,
}) => {
  const endless = await receiver((_, response) => {
    response.writeHead(200);
    const more = () => response.destroyed || response.write(Buffer.alloc(65_536), more);
    more();
  });
  assert.is((await ended(account, endless.origin)).status, 'delivered');
  await endless.close();
});

test('a redirect is not followed and is no success', async ({ account }) => {
  const elsewhere = await withStatus(307, { location: `${target.origin}/moved` });
  const delivery = await ended(account, elsewhere.origin);
  assert.is(delivery.status, 'failed');
  assert.is(
    errors(delivery)[0],
    'expected a status of 200 to 299; got 307; redirects are not followed',
  );
  assert.not.ok(target.received.some(({ path }) => path === '/moved'));
  await elsewhere.close();
});

test('410 ends the delivery and disables a registered endpoint at once', async ({ account }) => {
  const gone = await withStatus(410);
  const { endpoints } = rig.webhooks;
  const id = await endpoints.create(account, { url: gone.origin });
  assert.is((await ended(account, null)).attempts_made, 1);
  const { status, disabled_reason } = await endpoints.get(account, id);
  assert.equal([status, disabled_reason], ['disabled', 'answered_410']);
  await rig.ask('a', { account });
  await endpoints.change(account, id, { url: target.origin, enabled: true });
  await rig.ask('a', { account });
  await target.got();
  // That of the job before was not even recorded.
  assert.equal([gone.received.length, (await rig.delivered(account)).length], [1, 2]);
  await gone.close();
});

test('an endpoint that has failed for days is disabled; one success would have kept it', async ({
  account,
}) => {
  const broken = await withStatus(500);
  const { endpoints } = rig.webhooks;
  const id = await endpoints.create(account, { url: broken.origin });
  const failedFor = async (hours: number) => {
    const since = String(Date.now() - hours * 3_600_000);
    await rig.redis.hset(`${rig.stores.prefix}:webhook:${id}`, 'failing_since', since);
  };
  await failedFor(23);
  await ended(account, null);
  assert.is((await endpoints.get(account, id)).status, 'enabled');
  await failedFor(25);
  await rig.ask('a', { account });
  await until('it is disabled', async () => {
    const { disabled_reason, failing_since } = await endpoints.get(account, id);
    return disabled_reason === 'failed_for_days' && failing_since !== null;
  });
  await endpoints.change(account, id, { url: target.origin, enabled: true });
  await rig.ask('a', { account });
  await target.got();
  await until('it is well', async () => {
    const { last_success_at, failing_since } = await endpoints.get(account, id);
    return last_success_at !== null && failing_since === null;
  });
  await broken.close();
});

test('a test that failed does not count against its endpoint, as nothing tries it again', async ({
  account,
}) => {
  const broken = await withStatus(500);
  const { endpoints, deliveries } = rig.webhooks;
  const id = await endpoints.create(account, { url: broken.origin });
  await deliveries.ping(account, { id, url: broken.origin });
  assert.is((await over(account)).status, 'failed');
  // Long enough for what follows the attempt.
  await rig.ask('a', { account, callback: callback(target.origin) });
  await target.got();
  const { status, failing_since } = await endpoints.get(account, id);
  assert.equal([status, failing_since], ['enabled', null]);
  await broken.close();
});

test('who is turned away asks again the later the more wait, and soon when places are free again', () => {
  const shares = openShares();
  const take = (count: number) => Array.from({ length: count }, () => shares.take('acme'));
  assert.equal(take(10), Array(10).fill(null));
  const waits = take(10_000);
  assert.equal([waits[0], waits[9], waits[10], waits[999]], [50, 50, 100, 5_000]);
  assert.is(waits.at(-1), 30_000);
  assert.is(shares.take('other'), null);
  // One place is free again and taken again, as often as there were others that waited.
  for (let count = 0; count < 10_000; count += 1) {
    shares.give('acme');
    assert.is(shares.take('acme'), null);
  }
  assert.is(shares.take('acme'), 50);
});

test('what is owed to an endpoint that was disabled or deleted ends as failed, and says why', async ({
  account,
}) => {
  const { endpoints, deliveries } = rig.webhooks;
  const owed = async (endpoint: string, tail: string) => {
    const id = `${idAt(Date.now())}${tail}`;
    const body = bodyOf('job.failed', Date.now(), {});
    const what = { type: 'job.failed', job: 'job_1', body, created_at: Date.now() } as const;
    await deliveries.expect({ ...what, id, account, endpoint, url: target.origin });
    return id;
  };
  const ended = async (id: string) => {
    await until('it has failed', async () => (await deliveries.find(id))?.status === 'failed');
    return (await deliveries.get(account, id)).attempts.at(-1)?.error;
  };
  const endpoint = await endpoints.create(account, { url: target.origin });
  const first = await owed(endpoint, '1');
  await endpoints.change(account, endpoint, { enabled: false });
  const { redis, stores } = rig;
  const entry = JSON.stringify({ kind: 'delivery', id: first, run: 0 });
  await redis.hset(`${stores.prefix}:outbox:entries`, 'owed', entry);
  await redis.zadd(`${stores.prefix}:outbox`, 1, 'owed');
  assert.is(await ended(first), 'the webhook is disabled');
  // Asked for by the caller, it is sent all the same.
  await deliveries.resend(account, first);
  await until('it came', async () => (await deliveries.find(first))?.status === 'delivered');
  const second = await owed(endpoint, '2');
  await endpoints.remove(account, endpoint);
  await deliveries.resend(account, second);
  assert.is(await ended(second), 'the webhook was deleted');
});

test('a receiver whose address is not public is not called, whatever was known when it was named', async ({
  account,
}) => {
  // By its name, which is looked up for each attempt.
  const url = `${target.origin.replace('127.0.0.1', 'localhost')}/later`;
  const later = await openWebhookRig(freshPlace(server.url), { WEBHOOK_RETRY_SECONDS: '0.05' });
  await later.webhooks.endpoints.create(account, { url });
  const config = { ...later.config, fetch: { ...later.config.fetch, allowHosts: [] } };
  const strict = openWebhooks(later.stores, config).endpoints;
  for (const bad of [url, 'http://10.0.0.7/', 'http://[::1]/', 'http://169.254.169.254/latest'])
    assert.match(
      await refusal(strict.checkUrl(bad)),
      'its host is unknown or has no public address, and FETCH_ALLOW_HOSTS does not name it',
    );
  assert.match(
    await refusal(strict.checkUrl('https://me:secret@192.0.2.1/')),
    'it contains a user name or a password',
  );
  assert.match(await refusal(strict.checkUrl('ftp://192.0.2.1/')), 'expected http or https');
  await later.ledger.grant(account, 1000);
  await later.work(atOnce);
  later.deliver({ config });
  await later.ask('a', { account });
  const delivery = await over(account, later);
  assert.equal(
    errors(delivery),
    Array(2).fill(
      'its host is unknown or has no public address, and FETCH_ALLOW_HOSTS does not name it',
    ),
  );
  assert.not.ok(target.received.some(({ path }) => path === '/later'));
  await later.close();
});

test('a name that leads to the internet when it is given and to this machine later is not called, and the log says so', async ({
  account,
}) => {
  const answers: Record<string, string> = { 'receiver.example': '93.184.215.14' };
  const asked: string[] = [];
  const restore = resolveBy((name) => {
    asked.push(name);
    return answers[name];
  });
  const moved = await openWebhookRig(freshPlace(server.url), {
    WEBHOOK_RETRY_SECONDS: '0.05',
    FETCH_ALLOW_HOSTS: '',
  });
  try {
    const { port } = target;
    const url = `http://receiver.example:${port}/rebound`;
    await moved.webhooks.endpoints.create(account, { url });
    assert.equal(asked, ['receiver.example']);
    answers['receiver.example'] = '127.0.0.1';
    await moved.ledger.grant(account, 1000);
    await moved.work(atOnce);
    moved.deliver();
    await moved.ask('a', { account });
    const delivery = await over(account, moved);
    assert.is(delivery.status, 'failed');
    assert.equal(
      errors(delivery),
      Array(2).fill(
        'its host is unknown or has no public address, and FETCH_ALLOW_HOSTS does not name it',
      ),
    );
    assert.equal(asked, Array(3).fill('receiver.example'));
    assert.not.ok(target.received.some(({ path }) => path === '/rebound'));
    // The guard alone kept it away: the name does lead to the receiver.
    await fetch(url, { method: 'POST', body: bodyOf('webhook.ping', Date.now(), {}) });
    assert.ok(target.received.some(({ path }) => path === '/rebound'));
  } finally {
    restore();
    await moved.close();
  }
});

test('the service waits 15 s for an answer unless it is set otherwise: one after 20 s is too late', () => {
  assert.is(testConfig().webhooks.timeoutMs, 15_000);
});

/** Has names looked up by the test, until the returned function is called; undefined: by the system, as before. */
const resolveBy = (addressOf: (name: string) => string | undefined): (() => void) => {
  const { lookup } = dns;
  const own = (name: string, options: LookupOptions, done: (...found: unknown[]) => void) => {
    const address = addressOf(name);
    if (address === undefined) return lookup(name, { ...options, all: true }, done);
    const found = [{ address, family: 4 }];
    setImmediate(() => (options.all ? done(null, found) : done(null, address, 4)));
  };
  Object.assign(dns, { lookup: own });
  syncBuiltinESMExports();
  return () => {
    Object.assign(dns, { lookup });
    syncBuiltinESMExports();
  };
};

const refusal = async (asked: Promise<void>): Promise<string> => {
  try {
    await asked;
    return 'none';
  } catch (error) {
    return String(error);
  }
};

test.run();
