/** What jobs do to the credits of their account: held at submission, captured or released at the end. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { monthOf } from '../../src/accounts/tiers.ts';
import { verify } from '../../src/accounts/verify.ts';
import { Failure } from '../../src/errors.ts';
import { realRedis } from '../real/redis.ts';
import { atOnce, freshPlace, onCue, openRig, type Rig } from './rig.ts';

const test = suite<{ rig: Rig; others: Rig[] }>('money of jobs');
const server = await realRedis();
const tiers = '[{"credits":100,"percent":0},{"credits":null,"percent":10}]';
test.before.each(async (context) => {
  const place = freshPlace(server.url);
  const open = () => openRig(place, { DISCOUNT_TIERS: tiers, ACCOUNT_QUEUED_LIMIT: '1000' });
  context.rig = await open();
  context.others = await Promise.all([open(), open()]);
});
test.after.each(async ({ rig, others }) => {
  for (const each of [...others, rig]) await each.close();
});
test.after(() => server.close());

const now = async (rig: Rig) => {
  const { balance, held, available, month } = await rig.ledger.balance('acme');
  return { balance, held, available, used: month.used };
};

test('a job lowers what is available, its end the balance', async ({ rig }) => {
  await rig.ledger.grant('acme', 50);
  const { job } = await rig.ask('a', { credits: 20 });
  assert.equal(await now(rig), { balance: 50, held: 20, available: 30, used: 20 });
  await rig.work(atOnce);
  assert.is((await rig.ended(job)).charged, 20);
  assert.equal(await now(rig), { balance: 30, held: 0, available: 30, used: 20 });
  assert.equal(await rig.differences(), []);
});

test('a cancelled job gives the credits and the month back, once', async ({ rig }) => {
  await rig.ledger.grant('acme', 50);
  const { job } = await rig.ask('a', { credits: 20 });
  for (let times = 0; times < 2; times += 1) await rig.jobs.cancel('acme', job.id);
  assert.equal(await now(rig), { balance: 50, held: 0, available: 50, used: 0 });
  assert.equal(await rig.differences(), []);
});

test('a job beyond what is available is refused with both numbers, and changes nothing', async ({
  rig,
}) => {
  await rig.ledger.grant('acme', 50);
  await rig.ask('a', { credits: 30 });
  const refused = await rig.ask('b', { credits: 21 }).then(
    () => null,
    (error: unknown) => error,
  );
  assert.instance(refused, Failure);
  if (refused instanceof Failure) {
    assert.is(refused.code, 'insufficient_credits');
    assert.equal(refused.facts, { required_credits: 21, available_credits: 20 });
  }
  assert.is((await rig.ledger.entries('acme', { limit: 10 })).data.length, 2);
  assert.equal(await rig.differences(), []);
});

test('jobs at once are priced one after the other', async ({ rig, others }) => {
  await rig.ledger.grant('acme', 1000);
  const asked = [rig, ...others].map((one, i) => one.ask(`${i}`, { credits: 60 }));
  const made = await Promise.all(asked);
  // 60 at full price, 40 at full and 20 less 10 %, 60 less 10 %.
  assert.equal(made.map(({ job }) => job.held).sort(), [54, 58, 60]);
  assert.is((await now(rig)).used, 180);
  assert.equal(await rig.differences(), []);
});

test('the ledger explains each price', async ({ rig }) => {
  await rig.ledger.grant('acme', 500);
  const { job } = await rig.ask('a', { credits: 110 });
  await rig.jobs.cancel('acme', job.id);
  const { data } = await rig.ledger.entries('acme', { limit: 2 });
  assert.equal(
    data.map(({ type, job: of, held_change, held }) => [type, of, held_change, held]),
    [
      ['release', job.id, -109, 0],
      ['hold', job.id, 109, 109],
    ],
  );
  const discounts = data[1]?.lines.filter(({ kind }) => kind === 'discount');
  assert.equal(
    discounts?.map(({ credits }) => credits),
    [-1],
  );
});

test('a hold of a month long past is given back to that month', async ({ rig }) => {
  await rig.ledger.grant('acme', 10);
  const { job } = await rig.ask('a', { credits: 5 });
  const { redis, stores } = rig;
  const hold = JSON.stringify({ credits: 5, list: 5, month: '2020-01' });
  await redis.hset(`${stores.prefix}:holds:acme`, job.id, hold);
  await redis.hset(`${stores.prefix}:usage:acme`, '2020-01', 7);
  await rig.jobs.cancel('acme', job.id);
  assert.is(await rig.ledger.usage('acme', '2020-01'), 2);
  assert.is(await rig.ledger.usage('acme'), 5);
});

type Damage = (rig: Rig, at: (name: string) => string, id: string) => Promise<unknown>;
const damages: [says: string, damage: Damage, found: RegExp][] = [
  [
    'a balance that was changed by hand',
    ({ redis }, at) => redis.hincrby(at('account'), 'balance', 3),
    /balance: the ledger adds up to 50, the account has 53/,
  ],
  [
    'held credits that were changed by hand',
    ({ redis }, at) => redis.hincrby(at('account'), 'held', -1),
    /held credits: the ledger adds up to 20, the account has 19/,
  ],
  [
    'a hold that vanished',
    ({ redis }, at, id) => redis.hdel(at('holds'), id),
    /held for job_\w+: the ledger adds up to 20, the account has 0/,
  ],
  [
    'usage that was changed by hand',
    ({ redis }, at) => redis.hincrby(at('usage'), monthOf(Date.now()), 9),
    /usage in \d{4}-\d{2}: the ledger adds up to 20, the account has 29/,
  ],
];
for (const [says, damage, found] of damages) {
  test(`verify finds ${says}`, async ({ rig }) => {
    await rig.ledger.grant('acme', 50);
    const { job } = await rig.ask('a', { credits: 20 });
    await damage(rig, (name) => `${rig.stores.prefix}:${name}:acme`, job.id);
    assert.match((await verify(rig.stores, 'acme')).join('\n'), found);
  });
}

test('however jobs are made, cancelled and ended, the books agree and nothing goes below zero', async ({
  rig,
  others,
}) => {
  const random = seeded(7);
  const below = (bound: number) => Math.floor(random() * bound);
  await rig.ledger.grant('acme', 300);
  await rig.work(async (...call) => {
    if (random() < 0.2) throw new Failure('media_unreadable', { reason: 'the dice said so' });
    return atOnce(...call);
  });
  const made: string[] = [];
  const steps = [rig, ...others].map(async (one, which) => {
    for (let step = 0; step < 40; step += 1) {
      const choice = below(10);
      const some = made[below(made.length)];
      if (choice === 0) await one.ledger.grant('acme', 1 + below(20));
      else if (choice < 7 || !some) await askIfPaid(one, `${which} ${step}`, 1 + below(30), made);
      else await one.jobs.cancel('acme', some);
      const { balance, held, available } = await now(one);
      assert.ok(available >= 0 && held >= 0, `balance ${balance}, held ${held}`);
    }
  });
  await Promise.all(steps);
  const all = await Promise.all(
    made.map(async (id) => rig.ended(await rig.jobs.get('acme', id), 30_000)),
  );
  assert.equal(await rig.differences(), []);
  const { data } = await rig.ledger.entries('acme', { limit: 10_000 });
  assert.ok(data.every(({ balance, held }) => balance - held >= 0));
  const changes = (type: string) =>
    data.filter((entry) => entry.type === type).reduce((sum, one) => sum + one.balance_change, 0);
  const charged = all.reduce((sum, job) => sum + job.charged, 0);
  assert.ok(charged > 0);
  assert.is(-changes('capture'), charged);
  assert.is((await now(rig)).balance, changes('grant') - charged);
});

test('credits of a job that runs are held until it ends', async ({ rig }) => {
  await rig.ledger.grant('acme', 50);
  const model = onCue();
  await rig.work(model.enhance);
  const { job } = await rig.ask('a', { credits: 20 });
  assert.equal(await now(rig), { balance: 50, held: 20, available: 30, used: 20 });
  model.go();
  await rig.ended(job);
  assert.equal(await now(rig), { balance: 30, held: 0, available: 30, used: 20 });
});

const askIfPaid = async (rig: Rig, content: string, credits: number, made: string[]) => {
  try {
    made.push((await rig.ask(content, { credits })).job.id);
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
