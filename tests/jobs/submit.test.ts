import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { firstJobId, newJobId } from '../../src/jobs/record/id.ts';
import type { JobRecord } from '../../src/jobs/record/record.ts';
import { openAttempts } from '../../src/jobs/run/attempts.ts';
import { submit } from '../../src/jobs/submit/submit.ts';
import { script } from '../../src/redis/script.ts';
import { realRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';
import { atOnce, choiceOf, codeOf, finished, freshPlace, onCue, openRig, type Rig } from './rig.ts';

const test = suite<{ rig: Rig; dir: string }>('submit');
const server = await realRedis();
test.before.each(async (context) => {
  const place = freshPlace(server.url);
  context.dir = place.dir;
  context.rig = await openRig(place);
  await context.rig.ledger.grant('acme', 1000);
});
test.after.each(async ({ rig }) => {
  assert.equal(await rig.differences(), []);
  await rig.close();
});
test.after(() => server.close());

test('a job holds its price, runs, and is charged it once', async ({ rig }) => {
  const { job, cached, joined } = await rig.ask('a');
  assert.equal([job.status, job.held, cached, joined], ['queued', 10, false, false]);
  assert.equal(await rig.credits(), { balance: 1000, held: 10 });
  await rig.work(atOnce);
  const done = await rig.ended(job);
  assert.equal([done.status, done.charged, done.attempts], ['succeeded', 10, 1]);
  assert.equal(await rig.credits(), { balance: 990, held: 0 });
  const { data } = await rig.ledger.entries('acme', { limit: 10 });
  assert.equal(
    data.map(({ type, job: of }) => [type, of]),
    [
      ['capture', job.id],
      ['hold', job.id],
      ['grant', null],
    ],
  );
});

test('the input is kept until the job ends, and the result after', async ({ rig, dir }) => {
  const { job } = await rig.ask('a');
  assert.ok(existsSync(join(dir, 'inputs', job.id)));
  await rig.work(atOnce);
  const done = await rig.ended(job);
  const result = await rig.files.openResult(done.outcome?.file ?? '');
  assert.is(result.bytes, 'enhanced'.length);
  assert.is(done.outcome?.bytes, result.bytes);
  await rig.close();
  rig.close = async () => {};
  rig.differences = async () => [];
  assert.equal(readdirSync(join(dir, 'inputs')), []);
  assert.equal(readdirSync(join(dir, 'incoming')), []);
  assert.equal(readdirSync(join(dir, 'attempts')), []);
});

test('the same work again is a new job, at once succeeded and free', async ({ rig, dir }) => {
  await rig.work(atOnce);
  const first = await rig.ended((await rig.ask('a')).job);
  const { job, cached, joined } = await rig.ask('a', { options: { output_format: 'png' } });
  assert.equal([cached, joined, job.cached, job.status], [true, false, true, 'succeeded']);
  assert.is.not(job.id, first.id);
  assert.equal([job.estimated, job.held, job.charged], [10, 0, 0]);
  assert.equal(job.outcome, first.outcome);
  assert.is(job.expires_at, first.expires_at);
  assert.equal(await rig.credits(), { balance: 990, held: 0 });
  // The first job ends before what it read is gone.
  await until('no input is left', () => readdirSync(join(dir, 'inputs')).length === 0);
});

test('a result is given out again for 24 hours and no longer', async ({ rig }) => {
  await rig.work(atOnce);
  const first = await rig.ended((await rig.ask('a')).job);
  const day = 86_400_000;
  assert.ok(Math.abs((first.expires_at ?? 0) - (first.finished_at ?? 0) - day) < 60_000);
  const left = await rig.redis.pttl(`${rig.stores.prefix}:cache:${first.fingerprint}`);
  assert.ok(left > day - 60_000 && left <= day, `${left} ms`);
  await rig.redis.hset(`${rig.stores.prefix}:job:${first.id}`, 'expires_at', Date.now() - 1);
  const again = await rig.ask('a');
  assert.equal([again.cached, again.job.held], [false, 10]);
  await rig.ended(again.job);
});

const placeJob = script(
  new URL('../../src/jobs/scripts/submit.lua', import.meta.url),
  z.tuple([z.string()]).rest(z.unknown()),
);
/** Asks for `of`'s work again as it can be asked before the media was looked at: without price and input. */
const reuse = async (rig: Rig, of: JobRecord, seen = '') => {
  const id = newJobId(Date.now());
  const ask = {
    id,
    want: 'reuse',
    account: of.account,
    fingerprint: of.fingerprint,
    seen,
    oldest: firstJobId(0),
    account_records: 100,
    large_bytes: 8192,
    large_records: 100,
    record_ttl_ms: 60_000,
  };
  const { kind, model, model_version, options } = of;
  const record = { kind, model, model_version, options: JSON.stringify(options) };
  const said = await placeJob(
    rig.stores,
    JSON.stringify(ask),
    JSON.stringify({ ...record, request_id: 'req_2' }),
  );
  return { id, said };
};

test('a cached result is found before the media is looked at, and shows what its maker saw', async ({
  rig,
}) => {
  await rig.work(atOnce);
  const first = await rig.ended((await rig.ask('a')).job);
  const seen = JSON.stringify({ ...Object(first.found), alpha: true });
  await rig.redis.hset(`${rig.stores.prefix}:job:${first.id}`, 'found', seen);
  assert.equal((await reuse(rig, first)).said, ['unseen', first.id]);
  const { id, said } = await reuse(rig, first, first.id);
  assert.equal(said.slice(0, 2), ['cached', id]);
  const job = await rig.jobs.get('acme', id);
  assert.equal(rig.jobs.read(z.array(z.string()).parse(said[2])), job);
  assert.equal(
    [job.status, job.cached, job.estimated, job.held, job.charged],
    ['succeeded', true, 10, 0, 0],
  );
  assert.equal([job.input, job.outcome, job.lines], [first.input, first.outcome, first.lines]);
  assert.is(job.request_id, 'req_2');
  const found = await rig.redis.hget(`${rig.stores.prefix}:job:${id}`, 'found');
  assert.is(found, seen);
});

test('an unfinished job is joined before the media is looked at, and what is new is missed', async ({
  rig,
}) => {
  const { job } = await rig.ask('a');
  assert.equal((await reuse(rig, job)).said.slice(0, 2), ['joined', job.id]);
  assert.equal((await reuse(rig, { ...job, fingerprint: 'another' })).said, ['missed']);
});

test('a result is cached as the work that was done, and erased as that', async ({ rig }) => {
  const { job } = await rig.ask('a');
  const attempts = openAttempts(rig.stores, rig.config, 60_000);
  const [, , fence = 0] = await attempts.take({ id: job.id, dispatch: 1 }, 'token');
  const done = { ...finished, fingerprint: 'that of the release it ran on' };
  assert.is(await attempts.succeed(job.id, fence, done), 'succeeded');
  const cached = () => rig.redis.keys(`${rig.stores.prefix}:cache:*`);
  assert.equal(await cached(), [`${rig.stores.prefix}:cache:${done.fingerprint}`]);
  assert.equal(await rig.redis.keys(`${rig.stores.prefix}:inflight:*`), []);
  await rig.jobs.erase('acme', job.id);
  assert.equal(await cached(), []);
});

test('a cached result costs nothing even without credits', async ({ rig }) => {
  await rig.work(atOnce);
  await rig.ledger.grant('poor', 10);
  await rig.ended((await rig.ask('a', { account: 'poor' })).job);
  assert.is((await rig.ask('a', { account: 'poor' })).cached, true);
  assert.is(await codeOf(rig.ask('b', { account: 'poor' })), 'insufficient_credits');
});

test('another account, another option or other media is other work', async ({ rig }) => {
  await rig.work(atOnce);
  await rig.ledger.grant('other', 100);
  await rig.ended((await rig.ask('a')).job);
  assert.is((await rig.ask('a', { account: 'other' })).cached, false);
  assert.is((await rig.ask('a', { options: { scale: 4 } })).cached, false);
  assert.is((await rig.ask('b')).cached, false);
});

test('a result whose file is gone is made again', async ({ rig }) => {
  await rig.work(atOnce);
  const first = await rig.ended((await rig.ask('a')).job);
  assert.is((await rig.ask('a')).cached, true);
  await rig.files.removeResult(first.outcome?.file ?? '');
  const again = await rig.ask('a');
  assert.is(again.cached, false);
  const second = await rig.ended(again.job);
  assert.is(second.charged, 10);
  const third = await rig.ask('a');
  assert.equal([third.cached, third.job.outcome], [true, second.outcome]);
});

test('a result that another version recorded is made again', async ({ rig }) => {
  await rig.work(atOnce);
  for (const outcome of ['{"file":"x.png"}', '{"file":', '']) {
    const first = await rig.ended((await rig.ask(`media ${outcome}`)).job);
    await rig.redis.hset(`${rig.stores.prefix}:job:${first.id}`, 'outcome', outcome);
    const { job, cached } = await rig.ask(`media ${outcome}`);
    assert.is(cached, false, outcome);
    await rig.ended(job);
  }
});

test('ten identical requests at once make one job and one hold', async ({ rig }) => {
  const asked = await Promise.all(Array.from({ length: 10 }, () => rig.ask('a')));
  assert.is(new Set(asked.map(({ job }) => job.id)).size, 1);
  assert.is(asked.filter(({ joined }) => joined).length, 9);
  assert.equal(await rig.credits(), { balance: 1000, held: 10 });
});

test('a job that is being cancelled is not joined', async ({ rig }) => {
  const model = onCue();
  await rig.work(model.enhance);
  const { job } = await rig.ask('a');
  while ((await rig.jobs.get('acme', job.id)).status !== 'processing');
  await rig.jobs.cancel('acme', job.id);
  const { joined } = await rig.ask('a');
  assert.is(joined, false);
  assert.is((await rig.ended(job)).status, 'canceled');
  model.go();
});

test('short of credits: refused with both numbers, and nothing is left', async ({ rig, dir }) => {
  await rig.ledger.grant('poor', 3);
  assert.is(await codeOf(rig.ask('a', { account: 'poor' })), 'insufficient_credits');
  assert.equal(await rig.jobs.list('poor', { limit: 10 }), { data: [], has_more: false });
  assert.equal(readdirSync(join(dir, 'inputs')), []);
  assert.equal(readdirSync(join(dir, 'incoming')), []);
  assert.equal(await rig.differences('poor'), []);
});

test('many requests at once never hold more than there is', async ({ rig }) => {
  await rig.ledger.grant('poor', 55);
  const codes = await Promise.all(
    Array.from({ length: 20 }, (_, index) => codeOf(rig.ask(`m${index}`, { account: 'poor' }))),
  );
  assert.is(codes.filter((code) => code === 'none').length, 5);
  assert.equal(await rig.credits('poor'), { balance: 55, held: 50 });
  assert.equal(await rig.differences('poor'), []);
});

test('beyond the account’s bound on waiting jobs it is told so', async ({ rig }) => {
  const strict = {
    ...rig.parts,
    config: { ...rig.config, jobs: { ...rig.config.jobs, accountQueued: 2 } },
  };
  await rig.ask('a', { to: strict });
  await rig.ask('b', { to: strict });
  assert.is(await codeOf(rig.ask('c', { to: strict })), 'concurrency_limited');
  assert.is((await rig.ask('b', { to: strict })).joined, true);
  assert.equal(await rig.credits(), { balance: 1000, held: 20 });
});

test('beyond the bound on the whole queue it is full for everyone', async ({ rig }) => {
  await rig.ledger.grant('other', 100);
  const strict = {
    ...rig.parts,
    config: { ...rig.config, jobs: { ...rig.config.jobs, queueLimit: 2 } },
  };
  await rig.ask('a', { to: strict });
  await rig.ask('b', { to: strict });
  assert.is(await codeOf(rig.ask('c', { to: strict, account: 'other' })), 'queue_full');
});

test('places in the queue are counted from one', async ({ rig }) => {
  const first = await rig.ask('a');
  const second = await rig.ask('b');
  assert.is((await rig.jobs.place(first.job))?.position, 1);
  assert.is((await rig.jobs.place(second.job))?.position, 2);
  await rig.jobs.cancel('acme', first.job.id);
  assert.is((await rig.jobs.place(second.job))?.position, 1);
  assert.equal(await rig.jobs.counts(), { queued: 1, processing: 0 });
});

test('an account that makes jobs and cancels them is remembered within bounds, its paid results always', async ({
  rig,
}) => {
  const worker = await rig.work(atOnce);
  const paid = (await rig.ask('paid')).job;
  await rig.ended(paid);
  await worker.close();
  const few = {
    ...rig.parts,
    config: { ...rig.config, jobs: { ...rig.config.jobs, accountRecords: 5 } },
  };
  for (let count = 0; count < 12; count += 1) {
    const { job } = await rig.ask(`media ${count}`, { to: few });
    await rig.jobs.cancel('acme', job.id);
  }
  const waiting = (await rig.ask('waits', { to: few })).job;
  const { data } = await rig.jobs.list('acme', { limit: 100 });
  assert.is(data.length, 5);
  assert.equal([data[0]?.id, data.at(-1)?.id], [waiting.id, paid.id]);
  const records = await rig.redis.keys(`${rig.stores.prefix}:job:*`);
  assert.is(records.length, 5);
  assert.is((await rig.ask('paid', { to: few })).cached, true);
});

test('of large records fewer are remembered', async ({ rig }) => {
  const chosen = choiceOf('photo-s19');
  for (let count = 0; count < 210; count += 1) {
    const { job } = await submit(rig.parts, {
      account: 'acme',
      requestId: 'x'.repeat(20_000),
      chosen,
      rechoose: async () => chosen,
      ...rig.media(`media ${count}`),
      kind: 'upscale',
      options: { model: 'photo', scale: 2 },
      price: { credits: 1, text: 'one' },
      identity: `work on media ${count}`,
    });
    await rig.jobs.cancel('acme', job.id);
  }
  assert.is((await rig.redis.keys(`${rig.stores.prefix}:job:*`)).length, 200);
  await rig.jobs.cancel('acme', (await rig.ask('small', { credits: 1 })).job.id);
  assert.is((await rig.redis.keys(`${rig.stores.prefix}:job:*`)).length, 201);
});

test('a job whose releases are unloaded one after the other is refused', async ({ rig, dir }) => {
  await rig.redis.sadd(`${rig.stores.prefix}:models:closed`, 'photo@r1');
  const chosen = choiceOf('photo-s19');
  let choices = 1;
  const refused = submit(rig.parts, {
    account: 'acme',
    requestId: 'req_1',
    ...rig.media('a'),
    kind: 'upscale',
    options: { model: 'photo', scale: 2 },
    price: { credits: 1, text: 'one' },
    identity: 'work on a',
    chosen,
    rechoose: async () => {
      choices += 1;
      return chosen;
    },
  });
  assert.is(await codeOf(refused), 'model_unavailable');
  assert.is(choices, 10);
  assert.equal(await rig.credits(), { balance: 1000, held: 0 });
  assert.equal(readdirSync(join(dir, 'incoming')), []);
});

test.run();
