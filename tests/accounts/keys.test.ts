import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openKeys } from '../../src/accounts/keys.ts';
import { openLedger } from '../../src/accounts/ledger.ts';
import { Failure } from '../../src/errors.ts';
import { createLog } from '../../src/log.ts';
import { openRedis } from '../../src/redis/connection.ts';
import { freshPrefix, realRedis } from '../real/redis.ts';

const test = suite('keys');
const server = await realRedis();
const redis = openRedis(server.url, createLog('silent', 'test'), 'work');
const stores = { redis, prefix: freshPrefix() };
const keys = openKeys(stores, 'a pepper of some length');
test.after(async () => {
  await redis.quit();
  await server.close();
});

const codeOf = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
    return 'none';
  } catch (error) {
    return error instanceof Failure ? error.code : String(error);
  }
};

test('a key is found again with its account and scopes', async () => {
  const issued = await keys.create({ account: 'acme', name: 'ci', scopes: ['read'] });
  assert.match(issued.key, /^mes_live_[0-9A-Za-z]{33}_[0-9A-Za-z]{6}$/);
  assert.equal(await keys.lookup(issued.key), {
    account: 'acme',
    keyId: issued.id,
    scopes: ['read'],
  });
});

test('create and read are the scopes unless others are asked for', async () => {
  assert.equal((await keys.create({ account: 'acme' })).scopes, ['create', 'read']);
});

test('the key itself is nowhere in Redis', async () => {
  const { key } = await keys.create({ account: 'hidden' });
  const secret = key.split('_')[2] ?? key;
  for (const name of await redis.keys(`${stores.prefix}:*`)) {
    const type = await redis.type(name);
    const held = type === 'hash' ? await redis.hgetall(name) : await redis.smembers(name);
    assert.not.match(name + JSON.stringify(held), secret);
  }
});

test('a mistyped, cut or foreign key is invalid', async () => {
  const { key } = await keys.create({ account: 'acme' });
  const other = key.at(-1) === 'a' ? 'b' : 'a';
  const wrong = [key.slice(0, -1) + other, key.slice(0, -1), `${key}a`, 'mes_live__', '', 'x'];
  for (const mistyped of wrong) assert.is(await codeOf(keys.lookup(mistyped)), 'invalid_api_key');
  const foreign = openKeys(stores, 'another pepper, as long');
  assert.is(await codeOf(foreign.lookup(key)), 'invalid_api_key');
});

test('a key expires', async () => {
  const { key, id } = await keys.create({ account: 'acme', expiresInSeconds: 3600 });
  assert.is((await keys.lookup(key)).keyId, id);
  const { key: old } = await keys.create({ account: 'acme', expiresInSeconds: -1 });
  assert.is(await codeOf(keys.lookup(old)), 'expired_api_key');
});

test('a revoked key is invalid at once, and again changes nothing', async () => {
  const { key, id } = await keys.create({ account: 'acme' });
  const first = await keys.revoke(id);
  assert.is(await codeOf(keys.lookup(key)), 'invalid_api_key');
  assert.is((await keys.revoke(id)).revoked_at, first.revoked_at);
  assert.is(await codeOf(keys.rotate(id, 0)), 'not_found');
});

test('after a rotation both keys work for the overlap, then the new one', async () => {
  const old = await keys.create({ account: 'acme', name: 'web', scopes: ['create'] });
  const next = await keys.rotate(old.id, 3600);
  assert.equal([next.account, next.name, next.scopes], ['acme', 'web', ['create']]);
  assert.is((await keys.lookup(old.key)).keyId, old.id);
  assert.is((await keys.lookup(next.key)).keyId, next.id);
  await keys.rotate(old.id, 0);
  assert.is(await codeOf(keys.lookup(old.key)), 'expired_api_key');
});

test('a rotation never makes the old key live longer', async () => {
  const old = await keys.create({ account: 'acme', expiresInSeconds: 60 });
  await keys.rotate(old.id, 3600);
  const listed = (await keys.list('acme')).find(({ id }) => id === old.id);
  assert.is(listed?.expires_at, old.expires_at);
});

test('the new key of a rotation ends too when the old one had an end', async () => {
  const old = await keys.create({ account: 'acme', expiresInSeconds: 60 });
  const next = await keys.rotate(old.id, 0);
  const seconds = (Date.parse(next.expires_at ?? '') - Date.now()) / 1000;
  assert.ok(seconds > 55 && seconds < 65, `${seconds} s`);
});

test('the list is of one account and holds no key', async () => {
  await keys.create({ account: 'listed' });
  await keys.create({ account: 'listed' });
  const listed = await keys.list('listed');
  assert.is(listed.length, 2);
  assert.ok(listed.every((key) => !('key' in key)));
  assert.ok((await keys.list()).length > 2);
});

test('a listed key shows how it begins and when it was used last', async () => {
  const { key, id, last_used_at } = await keys.create({ account: 'seen' });
  assert.is(last_used_at, null);
  await keys.lookup(key);
  const [listed] = await keys.list('seen');
  assert.is(listed?.id, id);
  assert.is(listed?.prefix, key.slice(0, 13));
  assert.ok(Date.now() - Date.parse(listed?.last_used_at ?? '') < 60_000);
});

test('a key and its credits come together: where one is refused the other does not come', async () => {
  const discounts = { tiers: [{ credits: null, percent: 0 }] };
  const ledger = openLedger(stores, discounts);
  const entries = async (account: string) => (await ledger.entries(account, { limit: 10 })).data;
  const grant = { credits: 40, note: 'with the key' };
  await keys.create({ account: 'granted', grant });
  assert.is((await ledger.balance('granted')).available, 40);
  assert.equal(
    (await entries('granted')).map(({ type, note }) => [type, note]),
    [['grant', 'with the key']],
  );
  const tooMany = { account: 'granted', grant: { credits: Number.MAX_SAFE_INTEGER } };
  assert.is(await codeOf(keys.create(tooMany)), 'validation_failed');
  assert.is((await keys.list('granted')).length, 1);
  const broken = { redis, prefix: freshPrefix() };
  await redis.set(`${broken.prefix}:key-ids`, 'no hash, so that no key can be stored');
  const request = { account: 'granted', grant };
  assert.match(await codeOf(openKeys(broken, 'a pepper').create(request)), 'WRONGTYPE');
  assert.is((await openLedger(broken, discounts).balance('granted')).balance, 0);
});

test('an unknown id is not found', async () => {
  assert.is(await codeOf(keys.revoke('key_none')), 'not_found');
  assert.is(await codeOf(keys.rotate('key_none', 0)), 'not_found');
});

test.run();
