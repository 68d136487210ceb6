import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openLedger } from '../../src/credits/ledger.ts';
import { monthOf, type Prices, type Work } from '../../src/credits/price.ts';
import { verify } from '../../src/credits/verify.ts';
import { Failure } from '../../src/errors.ts';
import { createLog } from '../../src/log.ts';
import { openRedis } from '../../src/redis.ts';
import { freshPrefix, realRedis } from '../real/redis.ts';

const test = suite('ledger');
const prices: Prices = {
  lipsync: {},
  upscale: { photo: 1 },
  tiers: [
    { credits: 100, percent: 0 },
    { credits: null, percent: 10 },
  ],
};
const server = await realRedis();
const log = createLog('silent', 'test');
const prefix = freshPrefix();
const connections = [1, 2, 3].map(() => openRedis(server.url, log, 'work'));
const ledgers = connections.map((redis) => openLedger({ redis, prefix }, prices));
const [redis, ledger] = [connections[0], ledgers[0]];
if (!redis || !ledger) throw new Error('no connection');
const stores = { redis, prefix };
test.after(async () => {
  await Promise.all(connections.map((connection) => connection.quit()));
  await server.close();
});

const megapixels = (count: number): Work => ({ model: 'photo', outputPixels: count * 1_000_000 });
const account = (() => {
  let made = 0;
  return () => `account-${++made}`;
})();
const clean = async (name: string) => assert.equal((await verify(stores, name)).differences, []);

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

test('a hold lowers what is available, a capture the balance', async () => {
  const name = account();
  await ledger.grant(name, 50, 'to begin with');
  await ledger.hold(name, 'job_1', megapixels(20));
  let now = await ledger.balance(name);
  assert.equal([now.balance, now.held, now.available, now.month.used], [50, 20, 30, 20]);
  assert.is(await ledger.settle(name, 'job_1', 20), 20);
  now = await ledger.balance(name);
  assert.equal([now.balance, now.held, now.available, now.month.used], [30, 0, 30, 20]);
  await clean(name);
});

test('a release gives the credits and the month back', async () => {
  const name = account();
  await ledger.grant(name, 50);
  await ledger.hold(name, 'job_1', megapixels(20));
  assert.is(await ledger.settle(name, 'job_1', 0), 0);
  const now = await ledger.balance(name);
  assert.equal([now.balance, now.held, now.month.used], [50, 0, 0]);
  await clean(name);
});

test('a capture never takes more than was held', async () => {
  const name = account();
  await ledger.grant(name, 50);
  await ledger.hold(name, 'job_1', megapixels(20));
  assert.is(await ledger.settle(name, 'job_1', 45), 20);
  assert.is((await ledger.balance(name)).balance, 30);
  await clean(name);
});

test('a capture of less than was held frees the rest', async () => {
  const name = account();
  await ledger.grant(name, 50);
  await ledger.hold(name, 'job_1', megapixels(20));
  assert.is(await ledger.settle(name, 'job_1', 5), 5);
  const now = await ledger.balance(name);
  assert.equal([now.balance, now.held], [45, 0]);
  await clean(name);
});

test('a second hold, capture or release of the same job changes nothing', async () => {
  const name = account();
  await ledger.grant(name, 50);
  await ledger.hold(name, 'job_1', megapixels(20));
  await ledger.hold(name, 'job_1', megapixels(20));
  assert.is((await ledger.balance(name)).held, 20);
  assert.is(await ledger.settle(name, 'job_1', 20), 20);
  assert.is(await ledger.settle(name, 'job_1', 20), 0);
  assert.is(await ledger.settle(name, 'job_1', 0), 0);
  const now = await ledger.balance(name);
  assert.equal([now.balance, now.held, now.month.used], [30, 0, 20]);
  await clean(name);
});

test('a hold beyond what is available is refused with both numbers, and changes nothing', async () => {
  const name = account();
  await ledger.grant(name, 50);
  await ledger.hold(name, 'job_1', megapixels(30));
  const refused = await ledger.hold(name, 'job_2', megapixels(21)).then(
    () => null,
    (error: unknown) => error,
  );
  assert.instance(refused, Failure);
  if (refused instanceof Failure) {
    assert.is(refused.code, 'insufficient_credits');
    assert.equal(refused.facts, { required_credits: 21, available_credits: 20 });
  }
  assert.is((await ledger.entries(name, { limit: 10 })).data.length, 2);
  await clean(name);
});

test('two jobs at once are priced one after the other', async () => {
  const name = account();
  await ledger.grant(name, 1000);
  const made = await Promise.all(
    ledgers.map((one, index) => one.hold(name, `job_${index}`, megapixels(60))),
  );
  // 60 at full price, 40 at full and 20 less 10 %, 60 less 10 %.
  assert.equal(made.map(({ credits }) => credits).sort(), [54, 58, 60]);
  assert.is((await ledger.balance(name)).month.used, 180);
  await clean(name);
});

test('the ledger tells each change, newest first, by page', async () => {
  const name = account();
  await ledger.grant(name, 500, 'welcome');
  await ledger.hold(name, 'job_1', megapixels(110));
  await ledger.settle(name, 'job_1', 0);
  const first = await ledger.entries(name, { limit: 2 });
  assert.equal(
    first.data.map(({ type, job, held_change, held }) => [type, job, held_change, held]),
    [
      ['release', 'job_1', -109, 0],
      ['hold', 'job_1', 109, 109],
    ],
  );
  assert.ok(first.has_more);
  assert.ok(
    first.data[1]?.lines.some(({ kind, credits }) => kind === 'discount' && credits === -1),
  );
  const second = await ledger.entries(name, { limit: 2, starting_after: first.data[1]?.id });
  assert.equal(
    second.data.map(({ type, note, balance }) => [type, note, balance]),
    [['grant', 'welcome', 500]],
  );
  assert.not.ok(second.has_more);
});

test('a cursor that no page gave is a fault of the request', async () => {
  for (const starting_after of ['x', '1', '1-', '-', '+', '9'.repeat(40)]) {
    const refused = await ledger.entries('acme', { limit: 1, starting_after }).then(
      () => null,
      (error: unknown) => error,
    );
    assert.ok(refused instanceof Failure && refused.code === 'validation_failed', starting_after);
  }
});

test('an entry of a month long past keeps its month when it is released', async () => {
  const name = account();
  await ledger.grant(name, 10);
  await ledger.hold(name, 'job_1', megapixels(5));
  const holds = `${prefix}:holds:${name}`;
  const usage = `${prefix}:usage:${name}`;
  await redis.hset(holds, 'job_1', JSON.stringify({ credits: 5, list: 5, month: '2020-01' }));
  await redis.hset(usage, '2020-01', 7);
  await ledger.settle(name, 'job_1', 0);
  assert.is(await ledger.usage(name, '2020-01'), 2);
  assert.is(await ledger.usage(name, monthOf(Date.now())), 5);
});

const damages: [says: string, damage: (name: string) => Promise<unknown>, found: RegExp][] = [
  [
    'a balance that was changed by hand',
    (name) => redis.hincrby(`${prefix}:account:${name}`, 'balance', 3),
    /balance: the ledger gives 50, the account has 53/,
  ],
  [
    'held credits that were changed by hand',
    (name) => redis.hincrby(`${prefix}:account:${name}`, 'held', -1),
    /held credits: the ledger gives 20, the account has 19/,
  ],
  [
    'a hold that vanished',
    (name) => redis.hdel(`${prefix}:holds:${name}`, 'job_1'),
    /held for job_1: the ledger gives 20, the account has 0/,
  ],
  [
    'usage that was changed by hand',
    (name) => redis.hincrby(`${prefix}:usage:${name}`, monthOf(Date.now()), 9),
    /usage in \d{4}-\d{2}: the ledger gives 20, the account has 29/,
  ],
];
for (const [says, damage, found] of damages) {
  test(`verify finds ${says}`, async () => {
    const name = account();
    await ledger.grant(name, 50);
    await ledger.hold(name, 'job_1', megapixels(20));
    await damage(name);
    assert.match((await verify(stores, name)).differences.join('\n'), found);
  });
}

test('however holds, captures and releases mix, the books agree and nothing goes below zero', async () => {
  const name = account();
  const random = seeded(7);
  const below = (bound: number) => Math.floor(random() * bound);
  await ledger.grant(name, 200);
  let captured = 0;
  const work = ledgers.map(async (one) => {
    for (let step = 0; step < 120; step += 1) {
      const id = `job_${below(40)}`;
      const choice = below(10);
      if (choice === 0) await one.grant(name, 1 + below(20));
      else if (choice < 6) await holdIfThere(one, name, id, 1 + below(30));
      else {
        const now = await one.settle(name, id, choice < 8 ? below(40) : 0);
        captured += now;
      }
      if (step % 30 === 0) await clean(name);
      const { balance, held, available } = await one.balance(name);
      assert.ok(available >= 0 && held >= 0, `balance ${balance}, held ${held}`);
    }
  });
  await Promise.all(work);
  await clean(name);
  const { data } = await ledger.entries(name, { limit: 10_000 });
  assert.ok(data.every(({ balance, held }) => balance - held >= 0));
  const taken = data.filter(({ type }) => type === 'capture');
  assert.is(-taken.reduce((sum, entry) => sum + entry.balance_change, 0), captured);
  const granted = data.filter(({ type }) => type === 'grant');
  const given = granted.reduce((sum, entry) => sum + entry.balance_change, 0);
  assert.is((await ledger.balance(name)).balance, given - captured);
});

const holdIfThere = async (
  one: typeof ledger,
  name: string,
  id: string,
  count: number,
): Promise<void> => {
  try {
    await one.hold(name, id, megapixels(count));
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'insufficient_credits') throw error;
  }
};

/** Numbers in 0..1, the same for the same seed (mulberry32). */
const seeded = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
};

test.run();
