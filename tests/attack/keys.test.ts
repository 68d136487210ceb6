import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createBadKeys } from '../../src/http/gate/bad-keys.ts';
import { realApi } from '../http/api.ts';
import { pointers, refused } from '../http/told.ts';
import { testEnvironment } from '../real/config.ts';
import { realRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';

const test = suite('keys, credits and who may ask');
const pepper = randomUUID();
const redis = await realRedis();
const api = await realApi({ KEY_PEPPER: pepper, RATE_CREATE_PER_MINUTE: '1000' });
const apis = [api];
const openApi = async (settings: NodeJS.Dict<string>) => {
  const opened = await realApi(settings);
  apis.push(opened);
  return opened;
};
test.after(async () => {
  for (const opened of apis) await opened.close();
});
const { stores } = api.parts;

/** The command line as an operator runs it. */
const enhance = (...args: readonly string[]) =>
  execa('node', ['src/cli/bin.mjs', ...args], {
    reject: false,
    timeout: 60_000,
    env: testEnvironment({ REDIS_URL: redis.url, REDIS_PREFIX: stores.prefix, KEY_PEPPER: pepper }),
  });

test('a lifetime or credits beyond all bounds are refused, and make no key', async () => {
  for (const beyond of [1e10, 1e15, 1e17, 1e300, -1, 0, 1.5]) {
    const answer = await api.admin.post('/v1/admin/keys', {
      account: 'bounds',
      expires_in_seconds: beyond,
      credits: beyond,
    });
    const problem = refused(answer, 422, 'validation_failed');
    assert.equal([...new Set(pointers(problem))].sort(), ['/credits', '/expires_in_seconds']);
  }
  assert.equal((await api.admin.get('/v1/admin/keys?account=bounds')).data.data, []);
  assert.is((await api.parts.ledger.balance('bounds')).balance, 0);
  const most = { account: 'bounds', expires_in_seconds: 316_224_000, credits: 1_000_000_000 };
  assert.is((await api.admin.post('/v1/admin/keys', most)).status, 201);
});

test('grants cannot take a balance to where it is not counted exactly', async () => {
  await stores.redis.hset(`${stores.prefix}:account:rich`, 'balance', Number.MAX_SAFE_INTEGER - 5);
  const grant = (credits: number) =>
    api.admin.post('/v1/admin/credits', { account: 'rich', credits });
  assert.equal(pointers(refused(await grant(6), 422, 'validation_failed')), ['/credits']);
  assert.is((await grant(5)).data.balance, Number.MAX_SAFE_INTEGER);
  await stores.redis.del(`${stores.prefix}:account:rich`, `${stores.prefix}:ledger:rich`);
});

test('the command line has the same bounds', async () => {
  const runs = await Promise.all([
    enhance('keys', 'create', '--account', 'cli', '--expires-in', '99999999999999'),
    enhance('keys', 'create', '--account', 'cli', '--expires-in', '0'),
    enhance('keys', 'create', '--account', 'cli', '--credits', '1e18'),
    enhance('credits', 'grant', 'cli', '99999999999'),
    enhance('keys', 'rotate', 'key_x', '--overlap', '1e12'),
  ]);
  for (const { exitCode, stderr } of runs) {
    assert.is(exitCode, 1, stderr);
    assert.match(stderr, /Expected a whole number from \d+ to \d+/);
  }
});

test('records that are faulty already are told by their id and hide no others', async () => {
  const [good, bad] = [await api.caller(), await api.caller()];
  const digest = await stores.redis.hget(`${stores.prefix}:key-ids`, bad.keyId);
  const record = `${stores.prefix}:key:${digest}`;
  await stores.redis.hset(record, 'expires_at', '1e+21');
  await stores.redis.xadd(`${stores.prefix}:ledger:${bad.account}`, '*', 'type', 'grant');
  await stores.redis.hset(`${stores.prefix}:holds:${bad.account}`, 'job_x', 'no JSON');

  const { status, data } = await api.admin.get('/v1/admin/keys');
  assert.is(status, 200);
  assert.ok(data.data.some(({ id }: { id: string }) => id === good.keyId));
  assert.equal(data.faulty, [{ id: bad.keyId, fields: ['expires_at'] }]);
  assert.is((await bad.http.get('/v1/jobs')).status, 200, 'it goes on working until it is ended');

  const listed = await enhance('keys', 'list');
  assert.match(listed.stdout, good.keyId);
  assert.match(listed.stderr, `${bad.keyId} is faulty in expires_at`);
  assert.not.match(listed.stderr, /^ +at /m);
  const verified = await enhance('credits', 'verify');
  assert.is(verified.exitCode, 1);
  assert.match(verified.stdout, `${good.account}: balance and ledger agree`);
  assert.match(verified.stdout, new RegExp(`${bad.account}:\\n`));
  assert.match(verified.stdout, / accounts verified/);

  const revoked = refused(
    await api.admin.post(`/v1/admin/keys/${bad.keyId}/revoke`),
    500,
    'internal_error',
  );
  assert.match(revoked.detail, 'it is revoked');
  refused(await bad.http.get('/v1/jobs'), 401, 'invalid_api_key');
  await stores.redis.del(
    `${stores.prefix}:holds:${bad.account}`,
    `${stores.prefix}:ledger:${bad.account}`,
  );
});

test('wrong keys from one address are slowed down, and a right one from there still passes', async () => {
  const slow = await openApi({ RATE_BAD_KEYS_PER_MINUTE: '5' });
  const { http } = await slow.caller();
  const wrong = slow.client('mes_live_wrong_wrong');
  for (let tries = 0; tries < 5; tries += 1) {
    refused(await wrong.get('/v1/credits'), 401, 'invalid_api_key');
  }
  const answer = await wrong.get('/v1/credits');
  refused(answer, 429, 'rate_limited');
  assert.ok(Number(answer.headers['retry-after']) <= 12, answer.headers['retry-after']);
  assert.is((await http.get('/v1/credits')).status, 200);
  // Nobody may pass for another by a header that no trusted proxy has written.
  const told = { headers: { 'x-forwarded-for': '192.0.2.7' } };
  refused(await wrong.get('/v1/credits', told), 429, 'rate_limited');
});

test('behind a trusted proxy the address is what that saw, not what the caller wrote', async () => {
  const proxied = await openApi({ RATE_BAD_KEYS_PER_MINUTE: '2', TRUST_PROXY: '1' });
  const from = (forwarded: string) =>
    proxied
      .client('mes_live_wrong_wrong')
      .get('/v1/credits', { headers: { 'x-forwarded-for': forwarded } });
  for (const invented of ['198.51.100.1', '198.51.100.2']) {
    refused(await from(`${invented}, 192.0.2.7`), 401, 'invalid_api_key');
  }
  refused(await from('198.51.100.3, 192.0.2.7'), 429, 'rate_limited');
  refused(await from('198.51.100.3, 192.0.2.8'), 401, 'invalid_api_key');
});

test('the count of wrong keys takes bounded memory, and one /64 of IPv6 is one address', () => {
  const badKeys = createBadKeys(2);
  for (let i = 0; i < 50_000; i += 1) badKeys.count(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
  assert.is(badKeys.size(), 10_000);
  badKeys.count('2001:db8:0:1::1');
  badKeys.count('2001:db8::1:9:8:7:6');
  assert.throws(() => badKeys.count('2001:db8:0:1:ffff::'), /Too many requests/);
  badKeys.count('2001:db8:0:2::1');
});

test('a clock that is set back keeps no address out', () => {
  const wall = Date.now;
  const badKeys = createBadKeys(2);
  badKeys.count('192.0.2.1');
  badKeys.count('192.0.2.1');
  Date.now = () => wall() - 3_600_000;
  try {
    assert.throws(() => badKeys.count('192.0.2.1'), /again in (30|29) s/);
  } finally {
    Date.now = wall;
  }
});

test('the figures of a service that the network can reach need a key', async () => {
  assert.is(
    (await api.client().get('/metrics')).status,
    200,
    'on this machine alone they are open',
  );
  const token = 'a token for Prometheus';
  for (const settings of [
    { HOST: '0.0.0.0' },
    { TRUST_PROXY: '1' },
    { METRICS_TOKEN: token.replaceAll(' ', '-') },
  ]) {
    const reachable = await openApi({ PUBLIC_URL: '', ...settings });
    const base = `http://127.0.0.1:${reachable.port}`;
    const get = (client = reachable.client()) => client.get(`${base}/metrics`);
    refused(await get(), 401, 'missing_api_key');
    refused(await get(reachable.client('mes_live_wrong_wrong')), 401, 'invalid_api_key');
    refused(await get(reachable.client((await reachable.caller()).key)), 401, 'invalid_api_key');
    assert.is((await get(reachable.admin)).status, 200);
    if (settings.METRICS_TOKEN) {
      assert.is((await get(reachable.client(settings.METRICS_TOKEN))).status, 200);
      refused(
        await reachable.client(settings.METRICS_TOKEN).get(`${base}/v1/admin/keys`),
        401,
        'invalid_api_key',
      );
    }
  }
});

test('an account has no more requests open than it may, and event streams end their count', async () => {
  const few = await openApi({ ACCOUNT_OPEN_REQUESTS: '3' });
  const { http, key, cancelQueued } = await few.caller();
  const { data: job } = await http.post('/v1/upscale', order(), {
    headers: { prefer: 'respond-async' },
  });
  const streams = await Promise.all([1, 2, 3].map(() => listen(few.url, job.id, key)));
  refused(await http.get('/v1/jobs'), 429, 'concurrency_limited');
  assert.is((await (await few.caller()).http.get('/v1/jobs')).status, 200, "another account's");
  for (const stream of streams) stream.destroy();
  await until('they are forgotten', async () => (await http.get('/v1/jobs')).status === 200);
  await cancelQueued();
});

const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const order = (): FormData => {
  const form = new FormData();
  form.append('model', 'photo');
  form.append('scale', '2');
  form.append('image', new Blob([Buffer.from(onePixel, 'base64')]), 'a.png');
  return form;
};

/** An open event stream, once its first event has come. */
const listen = (url: string, id: string, key: string) =>
  new Promise<ReturnType<typeof request>>((resolve, reject) => {
    const asked = request(`${url}/v1/jobs/${id}/events`, {
      headers: { authorization: `Bearer ${key}` },
    });
    asked.once('response', (answer) => {
      if (answer.statusCode !== 200) void text(answer).then(reject, reject);
      answer.once('data', () => resolve(asked));
      answer.on('error', () => {});
    });
    asked.on('error', () => {});
    asked.end();
  });

test.run();
