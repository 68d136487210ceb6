import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { realApi } from './api.ts';
import { pointers, refused } from './told.ts';

const test = suite('keys, scopes and rates');
const api = await realApi({ RATE_CREATE_PER_MINUTE: '3', RATE_READ_PER_MINUTE: '20' });

test('without a key, with a mistyped and with an unknown one, nothing is told', async () => {
  const answer = await api.client().get('/v1/credits');
  refused(answer, 401, 'missing_api_key');
  assert.is(answer.headers['www-authenticate'], 'Bearer');
  const basic = { headers: { authorization: 'Basic eDp5' } };
  const other = refused(await api.client().get('/v1/credits', basic), 401, 'missing_api_key');
  assert.match(answer.data.detail, /"Authorization: Bearer <key>"; got none\.$/);
  assert.match(other.detail, /; got an Authorization header of another form\.$/);
  const unset = { headers: { authorization: 'Bearer ' } };
  const empty = refused(await api.client().get('/v1/credits', unset), 401, 'missing_api_key');
  assert.match(empty.detail, /; got no key after "Bearer"\.$/);
  refused(await api.client('mes_live_x_y').get('/v1/credits'), 401, 'invalid_api_key');
  const { key } = await api.caller();
  const mistyped = await api.client(`${key}x`).get('/v1/credits');
  refused(mistyped, 401, 'invalid_api_key');
  assert.is(mistyped.headers['www-authenticate'], 'Bearer');
});

test('a revoked key ends at once', async () => {
  const { http, keyId } = await api.caller();
  assert.is((await http.get('/v1/credits')).status, 200);
  assert.is((await api.admin.post(`/v1/admin/keys/${keyId}/revoke`)).status, 200);
  refused(await http.get('/v1/credits'), 401, 'invalid_api_key');
});

test('an expired key says when it expired', async () => {
  const { data } = await api.admin.post('/v1/admin/keys', {
    account: 'brief',
    expires_in_seconds: 1,
  });
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const answer = await api.client(data.key).get('/v1/credits');
  assert.match(refused(answer, 401, 'expired_api_key').detail, /expired at .*20\d\d-/);
  assert.is(answer.headers['www-authenticate'], 'Bearer');
});

test('a scope that is missing is named', async () => {
  const reader = await api.caller({ scopes: ['read'] });
  const problem = refused(await reader.http.post('/v1/upscale', {}), 403, 'insufficient_scope');
  assert.match(problem.detail, 'create');
  refused(await reader.http.get('/v1/admin/keys'), 403, 'insufficient_scope');
  refused(await reader.http.get('/v1/webhook-secret'), 403, 'insufficient_scope');
  const maker = await api.caller({ scopes: ['create'] });
  refused(await maker.http.get('/v1/credits'), 403, 'insufficient_scope');
});

test("the operator's key issues keys but makes no jobs", async () => {
  refused(await api.admin.post('/v1/upscale', {}), 403, 'insufficient_scope');
  const keyed = await api.caller({ scopes: ['admin'] });
  assert.is((await keyed.http.get('/v1/admin/keys')).status, 200);
});

test('a key of any scope learns what it is; without one nothing is told', async () => {
  for (const scopes of [['create'], ['admin']] as const) {
    const { http, account, keyId } = await api.caller({ scopes: [...scopes] });
    const { status, data } = await http.get('/v1/key');
    assert.is(status, 200);
    assert.equal(data, { id: keyId, account, name: null, scopes, expires_at: null });
  }
  const { data } = await api.admin.get('/v1/key');
  const none = { account: null, name: null, expires_at: null };
  assert.equal(data, { id: 'operator', scopes: ['admin'], ...none });
  refused(await api.client().get('/v1/key'), 401, 'missing_api_key');
});

test('the operator sees the accounts page by page, and the ledger of each', async () => {
  const admin = (await api.caller({ credits: 0, scopes: ['admin'] })).http;
  for (const account of ['0-first', '0-second', '0-third'])
    await api.parts.ledger.grant(account, 30, 'a test');
  const page = async (query: string) => {
    const { data } = await admin.get(`/v1/admin/accounts?${query}`);
    return [data.data.map(({ account }: { account: string }) => account), data.has_more];
  };
  assert.equal(await page('limit=2'), [['0-first', '0-second'], true]);
  assert.equal((await page('limit=1&starting_after=0-second'))[0], ['0-third']);
  const { data: first } = await admin.get('/v1/admin/accounts/0-first');
  assert.equal([first.balance, first.held, first.available], [30, 0, 30]);
  const { data: ledger } = await admin.get('/v1/admin/accounts/0-first/ledger');
  assert.equal(
    ledger.data.map(({ type, balance, note }: Record<string, unknown>) => [type, balance, note]),
    [['grant', 30, 'a test']],
  );
  const plain = await api.caller();
  for (const path of ['', '/0-first', '/0-first/ledger'])
    refused(await plain.http.get(`/v1/admin/accounts${path}`), 403, 'insufficient_scope');
});

test('a key is issued with credits, listed without its secret, rotated with an overlap', async () => {
  const admin = (await api.caller({ scopes: ['admin'] })).http;
  const request = { account: 'acme', name: 'site', credits: 50 };
  const issued = await admin.post('/v1/admin/keys', request);
  assert.is(issued.status, 201);
  assert.match(issued.data.key, /^mes_live_/);
  const credits = await api.client(issued.data.key).get('/v1/credits');
  assert.is(credits.data.available, 50);
  const { data } = await admin.get('/v1/admin/keys?account=acme');
  assert.equal([data.data.length, data.data[0].name, data.data[0].key], [1, 'site', undefined]);

  const rotated = await admin.post(`/v1/admin/keys/${issued.data.id}/rotate`, {
    overlap_seconds: 60,
  });
  assert.is(rotated.status, 201);
  assert.is(rotated.data.account, 'acme');
  for (const key of [issued.data.key, rotated.data.key]) {
    assert.is((await api.client(key).get('/v1/credits')).status, 200);
  }
});

test('a repeated request for a key gets one more key and no more credits', async () => {
  const request = { account: 'twice', credits: 50 };
  const headers = { 'idempotency-key': 'the key of twice' };
  const admin = (await api.caller({ scopes: ['admin'] })).http;
  const send = (body = request) => admin.post('/v1/admin/keys', body, { headers });
  const [first, second] = [await send(), await send()];
  assert.equal([first.status, second.status], [201, 201]);
  assert.is(second.headers['idempotent-replayed'], 'true');
  assert.is.not(first.data.key, second.data.key);
  for (const { data } of [first, second])
    assert.is((await api.client(data.key).get('/v1/credits')).data.available, 50);
  refused(await send({ ...request, credits: 60 }), 422, 'idempotency_key_reused');
});

test('rotation needs no body; an unknown key cannot be rotated', async () => {
  const admin = (await api.caller({ scopes: ['admin'] })).http;
  const { keyId } = await api.caller();
  assert.is((await admin.post(`/v1/admin/keys/${keyId}/rotate`)).status, 201);
  refused(await admin.post('/v1/admin/keys/key_none/rotate'), 404, 'not_found');
});

test('faults of a key request are told at once', async () => {
  const admin = (await api.caller({ scopes: ['admin'] })).http;
  const request = { account: 'a b', scopes: ['all'], credits: 0, x: 1 };
  const problem = refused(await admin.post('/v1/admin/keys', request), 422, 'validation_failed');
  assert.equal(pointers(problem).sort(), ['/account', '/credits', '/scopes/0', '/x']);
});

test('a grant under an idempotency key is made once', async () => {
  const admin = (await api.caller({ scopes: ['admin'] })).http;
  const grant = () =>
    admin.post(
      '/v1/admin/credits',
      { account: 'once', credits: 7 },
      { headers: { 'idempotency-key': 'g1' } },
    );
  const first = await grant();
  assert.equal([first.status, first.data.balance], [201, 7]);
  const again = await grant();
  assert.equal([again.status, again.data.balance], [201, 7]);
  assert.is(again.headers['idempotent-replayed'], 'true');
});

test('credits are withdrawn, at most those that are available', async () => {
  const admin = (await api.caller({ scopes: ['admin'] })).http;
  const withdraw = (credits: number, key: string) =>
    admin.post(
      '/v1/admin/credits',
      { account: 'refunded', credits: -credits, note: 'refund 1' },
      { headers: { 'idempotency-key': key } },
    );
  const { ledger } = api.parts;
  await ledger.grant('refunded', 10);
  for (const time of ['first', 'again'])
    assert.is((await withdraw(7, 'w1')).data.available, 3, time);
  const problem = refused(await withdraw(4, 'w2'), 422, 'validation_failed');
  assert.equal(pointers(problem), ['/credits']);
  assert.match(problem.detail, /it has fewer than 4 credits available/);
  const { data } = await ledger.entries('refunded', { limit: 5 });
  assert.equal(
    data.map(({ type, balance_change, balance, note }) => [type, balance_change, balance, note]),
    [
      ['grant', -7, 3, 'refund 1'],
      ['grant', 10, 10, null],
    ],
  );
  const rest = () => ledger.grant('refunded', -3, '', 'one token');
  assert.is((await rest()).available, 0);
  assert.is((await rest()).available, 0, 'once for a token, though nothing is left');
  assert.is((await ledger.totals()).credits.withdrawn, 10);
});

test('create and read have rates of their own, told on every answer', async () => {
  const { http } = await api.caller();
  const read = await http.get('/v1/credits');
  assert.is(read.headers['ratelimit-policy'], '"read";q=20;w=60');
  assert.is(read.headers.ratelimit, '"read";r=19;t=3');
  for (const left of [2, 1, 0]) {
    const { status, headers } = await http.post('/v1/upscale', {});
    assert.is(status, 422);
    assert.is(String(headers.ratelimit).split(';')[1], `r=${left}`);
  }
  const over = await http.post('/v1/upscale', {});
  refused(over, 429, 'rate_limited');
  assert.ok(Number(over.headers['retry-after']) > 0 && Number(over.headers['retry-after']) <= 20);
  assert.is((await http.get('/v1/credits')).status, 200);
});

test('a clock of Redis that is set back keeps no key out', async () => {
  const { http, keyId } = await api.caller();
  const { redis, prefix } = api.parts.stores;
  await redis.set(`${prefix}:rate:read:${keyId}`, Date.now() + 3_600_000, 'PX', 60_000);
  const { status, headers } = await http.get('/v1/credits');
  assert.is(status, 200);
  assert.is(headers.ratelimit, '"read";r=19;t=3');
});

test('of many requests at once no more pass than the rate allows', async () => {
  const { http } = await api.caller();
  const answers = await Promise.all(Array.from({ length: 12 }, () => http.post('/v1/upscale', {})));
  assert.is(answers.filter(({ status }) => status === 422).length, 3);
  assert.is(answers.filter(({ status }) => status === 429).length, 9);
});

test('each key has rates of its own, be it of the same account', async () => {
  const { http, account } = await api.caller();
  for (const status of [422, 422, 422, 429])
    assert.is((await http.post('/v1/upscale', {})).status, status);
  const other = api.client((await api.parts.keys.create({ account })).key);
  assert.is((await other.post('/v1/upscale', {})).status, 422);
});

test.after(api.close);
test.run();
