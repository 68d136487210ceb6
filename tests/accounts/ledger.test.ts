import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openLedger } from '../../src/accounts/ledger.ts';
import type { Discounts } from '../../src/accounts/tiers.ts';
import { verify } from '../../src/accounts/verify.ts';
import { Failure } from '../../src/errors.ts';
import { createLog } from '../../src/log.ts';
import { openRedis } from '../../src/redis/connection.ts';
import { freshPrefix, realRedis } from '../real/redis.ts';

const test = suite('ledger');
const prices: Discounts = {
  tiers: [
    { credits: 100, percent: 0 },
    { credits: null, percent: 10 },
  ],
};
const server = await realRedis();
const log = createLog('silent', 'test');
const prefix = freshPrefix();
const redis = openRedis(server.url, log, 'work');
const stores = { redis, prefix };
const ledger = openLedger(stores, prices);
test.after(async () => {
  await redis.quit();
  await server.close();
});

const account = (() => {
  let made = 0;
  return () => `account-${++made}`;
})();
const clean = async (name: string) => assert.equal(await verify(stores, name), []);

test('an account that nobody granted anything has nothing', async () => {
  const { month, ...credits } = await ledger.balance('nobody');
  assert.equal(credits, { account: 'nobody', balance: 0, held: 0, available: 0 });
  assert.equal([month.used, month.discount_percent, month.next_discount_at], [0, 0, 100]);
  await clean('nobody');
});

test('a grant that is sent again is given once', async () => {
  const name = account();
  for (let sent = 0; sent < 2; sent += 1) await ledger.grant(name, 50, '', 'token');
  assert.is((await ledger.balance(name)).balance, 50);
  await clean(name);
});

test('the ledger tells each change, newest first, by page', async () => {
  const name = account();
  await ledger.grant(name, 500, 'welcome');
  await ledger.grant(name, 20);
  const first = await ledger.entries(name, { limit: 1 });
  assert.equal(
    first.data.map(({ type, note, balance_change, balance }) => [
      ...[type, note, balance_change, balance],
    ]),
    [['grant', null, 20, 520]],
  );
  assert.ok(first.has_more);
  const second = await ledger.entries(name, { limit: 1, starting_after: first.data[0]?.id });
  assert.equal(
    second.data.map(({ note, balance }) => [note, balance]),
    [['welcome', 500]],
  );
  assert.not.ok(second.has_more);
});

test('a cursor that no page gave is a fault of the request', async () => {
  for (const starting_after of ['x', '1', '1-', '-', '+', '0-0', '9'.repeat(40)]) {
    const refused = await ledger.entries('acme', { limit: 1, starting_after }).then(
      () => null,
      (error: unknown) => error,
    );
    assert.ok(refused instanceof Failure && refused.code === 'validation_failed', starting_after);
  }
});

test.run();
