import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import type { Ticket } from '../../src/jobs/queue.ts';
import { openCheckpoints } from '../../src/storage/checkpoints.ts';
import { realRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';
import {
  atOnce,
  freshPlace,
  onCue,
  openRig,
  type Place,
  pictureOf,
  type Rig,
  type Run,
} from './rig.ts';

const test = suite<{ rig: Rig; place: Place; dir: string }>('worker');
const server = await realRedis();
test.before.each(async (context) => {
  const place = freshPlace(server.url);
  context.place = place;
  context.dir = place.dir;
  context.rig = await openRig(place);
  await context.rig.ledger.grant('acme', 1000);
});
test.after.each(async ({ rig, dir }) => {
  assert.equal(await rig.differences(), []);
  await rig.close();
  for (const folder of ['incoming', 'attempts']) assert.equal(readdirSync(join(dir, folder)), []);
});
test.after(() => server.close());

/** Fails with `failures`, one after the other, then succeeds. */
const failing = (...failures: Error[]): Run => {
  return async (...call) => {
    const failure = failures.shift();
    if (failure) throw failure;
    return atOnce(...call);
  };
};
const inferenceFailed = () => new Failure('inference_failed', { model: 'photo', reason: 'noise' });

test('progress is told while a job runs, and is whole at its end', async ({ rig }) => {
  const model = onCue();
  await rig.work(model.enhance);
  const { job } = await rig.ask('a');
  const now = () => rig.jobs.get('acme', job.id);
  await until('progress', async () => (await now()).progress !== null);
  const { progress, status, started_at } = await now();
  assert.is(status, 'processing');
  assert.ok(started_at !== null);
  assert.equal([progress?.stage, progress?.percent, progress?.frames_done], ['inference', 24.7, 1]);
  model.go();
  assert.is((await rig.ended(job)).progress?.percent, 100);
});

test('a waiting job is cancelled at once, its credits are back and its input is gone', async ({
  rig,
  dir,
}) => {
  const { job } = await rig.ask('a');
  assert.is((await rig.jobs.cancel('acme', job.id)).status, 'canceled');
  assert.equal(await rig.credits(), { balance: 1000, held: 0 });
  assert.equal(readdirSync(join(dir, 'inputs')), []);
  assert.is((await rig.jobs.cancel('acme', job.id)).status, 'canceled');
  const model = onCue();
  await rig.work(model.enhance);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(model.started, []);
});

test('a running job is stopped, and nothing is charged', async ({ rig, dir }) => {
  const model = onCue();
  await rig.work(model.enhance);
  const { job } = await rig.ask('a');
  await until('it runs', () => model.started.length === 1);
  assert.is((await rig.jobs.cancel('acme', job.id)).cancel_requested, true);
  const done = await rig.ended(job);
  assert.equal([done.status, done.charged, done.error], ['canceled', 0, null]);
  assert.equal(await rig.credits(), { balance: 1000, held: 0 });
  await until('its input is gone', () => readdirSync(join(dir, 'inputs')).length === 0);
});

test('a cancel that no announcement told of is seen by the next heartbeat', async ({ rig }) => {
  const model = onCue();
  await rig.work(model.enhance);
  const { job } = await rig.ask('a');
  await until('it runs', () => model.started.length === 1);
  await rig.redis.hset(`${rig.stores.prefix}:job:${job.id}`, 'cancel_requested', '1');
  assert.is((await rig.ended(job)).status, 'canceled');
});

test('a cancel while the result is being stored cancels, and the file is removed', async ({
  rig,
  dir,
}) => {
  await rig.work(async (...call) => {
    const outcome = await atOnce(...call);
    const id = call[1].input('media').split('/').at(-1) ?? '';
    await rig.redis.hset(`${rig.stores.prefix}:job:${id}`, 'cancel_requested', '1');
    return outcome;
  });
  const done = await rig.ended((await rig.ask('a')).job);
  assert.equal([done.status, done.charged], ['canceled', 0]);
  await until('no result', () => readdirSync(join(dir, 'results')).length === 0);
});

test('a finished job stays as it is when it is cancelled', async ({ rig }) => {
  await rig.work(atOnce);
  const done = await rig.ended((await rig.ask('a')).job);
  assert.equal(await rig.jobs.cancel('acme', done.id), done);
});

test('a failure that may pass is tried again', async ({ rig }) => {
  await rig.work(failing(inferenceFailed(), new TypeError('a bug')));
  const done = await rig.ended((await rig.ask('a')).job);
  assert.equal([done.status, done.attempts, done.charged], ['succeeded', 3, 10]);
});

test('after the last attempt it has failed, says why, and costs nothing', async ({ rig }) => {
  await rig.work(failing(inferenceFailed(), inferenceFailed(), inferenceFailed()));
  const done = await rig.ended((await rig.ask('a')).job);
  assert.equal([done.status, done.attempts, done.charged], ['failed', 3, 0]);
  assert.equal(done.error, {
    code: 'inference_failed',
    facts: { model: 'photo', reason: 'noise' },
  });
  assert.equal(await rig.credits(), { balance: 1000, held: 0 });
});

test('a failure that will not pass is not tried again', async ({ rig }) => {
  await rig.work(failing(new Failure('media_unreadable', { reason: 'cut off' })));
  const done = await rig.ended((await rig.ask('a')).job);
  assert.equal([done.status, done.attempts, done.error?.code], ['failed', 1, 'media_unreadable']);
});

test('an unknown error is told as internal_error', async ({ rig }) => {
  await rig.work(async () => {
    throw new Error('secret detail');
  });
  const done = await rig.ended((await rig.ask('a')).job);
  assert.equal(done.error, { code: 'internal_error', facts: {} });
});

test('a model that is away is waited for, without using up attempts', async ({ rig }) => {
  const away = Array.from(
    { length: 6 },
    () => new Failure('model_unavailable', { model: 'photo' }),
  );
  await rig.work(failing(...away));
  const done = await rig.ended((await rig.ask('a')).job);
  assert.equal([done.status, done.attempts, done.fence > 6], ['succeeded', 1, true]);
});

test('a model that stays away fails the job when MODEL_WAIT_SECONDS are over, and nothing is charged', async ({
  rig,
}) => {
  rig.parts.config = { ...rig.config, jobs: { ...rig.config.jobs, modelWaitMs: 2000 } };
  let attempts = 0;
  const from = Date.now();
  await rig.work(async (_job, _places, report) => {
    attempts += 1;
    report({ stage: 'inference', framesDone: attempts, framesTotal: 100 });
    throw new Failure('model_unavailable', { model: 'photo' });
  });
  const done = await rig.ended((await rig.ask('a')).job);
  assert.equal([done.status, done.charged, done.attempts], ['failed', 0, 1]);
  assert.equal(done.error, { code: 'model_unavailable', facts: { model: 'photo' } });
  assert.ok(Date.now() - from < 7_000, `after ${Date.now() - from} ms`);
  assert.ok(attempts >= 3 && attempts < 12, `${attempts} attempts`);
  assert.equal(await rig.credits(), { balance: 1000, held: 0 });
});

test('a second outage, long after the first, has its own time', async ({ rig }) => {
  rig.parts.config = { ...rig.config, jobs: { ...rig.config.jobs, modelWaitMs: 2500 } };
  let attempts = 0;
  await rig.work(async (...call) => {
    attempts += 1;
    if (attempts === 4) return atOnce(...call);
    if (attempts === 2) await new Promise((resolve) => setTimeout(resolve, 2600));
    throw new Failure('model_unavailable', { model: 'photo' });
  });
  const done = await rig.ended((await rig.ask('a')).job);
  assert.equal([done.status, done.attempts], ['succeeded', 1]);
});

test('what fails while its worker is told to end costs no attempt', async ({ rig }) => {
  const model = onCue();
  const worker = await rig.work(
    async (...call) => {
      await model.enhance(...call);
      throw inferenceFailed();
    },
    { drainMs: 5000 },
  );
  const { job } = await rig.ask('a');
  await until('it runs', () => model.started.length === 1);
  const closed = worker.close();
  setTimeout(model.go, 50);
  await closed;
  const { status, attempts, held } = await rig.jobs.get('acme', job.id);
  assert.equal([status, attempts, held], ['queued', 0, 10]);
});

test('after a failed job the same request is new work', async ({ rig }) => {
  await rig.work(failing(new Failure('media_unreadable', { reason: 'cut off' })));
  await rig.ended((await rig.ask('a')).job);
  const again = await rig.ask('a');
  assert.equal([again.cached, again.joined], [false, false]);
  assert.is((await rig.ended(again.job)).status, 'succeeded');
});

test('a result that cannot be stored fails the attempt', async ({ rig }) => {
  await rig.work(async () => pictureOf(20));
  assert.is((await rig.ended((await rig.ask('a')).job)).error?.code, 'storage_failed');
});

test('no more jobs run at once than the account may, and others pass by', async ({ rig }) => {
  const model = onCue();
  await rig.ledger.grant('other', 100);
  const limited = {
    ...rig.parts,
    config: { ...rig.config, jobs: { ...rig.config.jobs, accountRunning: 2, concurrency: 8 } },
  };
  rig.parts.config = limited.config;
  await rig.work(model.enhance);
  const own = [];
  for (const content of ['a', 'b', 'c', 'd', 'e']) {
    own.push((await rig.ask(content, { to: limited })).job);
  }
  const other = (await rig.ask('x', { to: limited, account: 'other' })).job;
  await until('three run', () => model.started.length === 3);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal([...model.started].sort(), [own[0]?.id, own[1]?.id, other.id].sort());
  assert.equal(await rig.jobs.counts(), { queued: 3, processing: 3 });
  model.go();
  for (const job of [...own, other]) assert.is((await rig.ended(job)).status, 'succeeded');
  assert.equal(await rig.differences('other'), []);
});

test('a worker with nothing to do takes a job that it is told of, without a ticket and without a look', async ({
  rig,
}) => {
  await rig.work(atOnce, { lookMs: 60_000 });
  const deliver = async () => {};
  const { job } = await rig.ask('a', { to: { ...rig.parts, queue: { ...rig.queue, deliver } } });
  assert.is((await rig.ended(job, 10_000)).status, 'succeeded');
});

test('Bull brings a ticket of a job only where no worker has taken it at once', async ({ rig }) => {
  const brought: string[] = [];
  const deliver = async ({ id }: Ticket) => void brought.push(id);
  const queue = { ...rig.queue, deliver };
  const waiting = (await rig.ask('a', { to: { ...rig.parts, queue } })).job;
  await until('it has a ticket', () => brought.includes(waiting.id));
  await rig.work(atOnce);
  await rig.ended(waiting);
  let asked = false;
  // However busy the machine is, the question is asked when the worker has the job.
  const isQueued = async (id: string) => {
    await rig.ended(await rig.jobs.get('acme', id));
    asked = true;
    return rig.jobs.isQueued(id);
  };
  await rig.ask('b', { to: { ...rig.parts, queue, jobs: { ...rig.jobs, isQueued } } });
  await until('it was asked', () => asked);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(brought, [waiting.id]);
});

test('a job that was taken without a ticket has a place: the ticket of the next one waits for it', async ({
  rig,
}) => {
  const model = onCue();
  rig.parts.config = { ...rig.config, jobs: { ...rig.config.jobs, concurrency: 1 } };
  await rig.work(model.enhance, { lookMs: 60_000 });
  const first = (await rig.ask('a')).job;
  await until('the first runs', () => model.started.length === 1);
  const second = (await rig.ask('b')).job;
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(model.started, [first.id]);
  model.go();
  for (const job of [first, second]) assert.is((await rig.ended(job)).status, 'succeeded');
});

test('a cancelled job lets the account’s next one in', async ({ rig }) => {
  const model = onCue();
  rig.parts.config = { ...rig.config, jobs: { ...rig.config.jobs, accountRunning: 1 } };
  await rig.work(model.enhance);
  const first = (await rig.ask('a')).job;
  const second = (await rig.ask('b')).job;
  await until('the first runs', () => model.started.length === 1);
  await rig.jobs.cancel('acme', first.id);
  await until('the second runs', () => model.started[1] === second.id);
  model.go();
  assert.is((await rig.ended(second)).status, 'succeeded');
});

test('a closing worker lets jobs end within its drain time', async ({ rig }) => {
  const model = onCue();
  const worker = await rig.work(model.enhance, { drainMs: 5000 });
  const { job } = await rig.ask('a');
  await until('it runs', () => model.started.length === 1);
  const closed = worker.close();
  setTimeout(model.go, 50);
  await closed;
  const { status, attempts } = await rig.jobs.get('acme', job.id);
  assert.equal([status, attempts], ['succeeded', 1]);
});

test('a closing worker puts longer jobs back without losing an attempt', async ({ rig }) => {
  const model = onCue();
  const worker = await rig.work(model.enhance, { drainMs: 50 });
  const { job } = await rig.ask('a');
  await until('it runs', () => model.started.length === 1);
  await worker.close();
  const back = await rig.jobs.get('acme', job.id);
  assert.equal([back.status, back.attempts, back.held], ['queued', 0, 10]);
});

test('workers that are closed one after the other, while jobs come, run none twice and lose none', async ({
  rig,
  place,
}) => {
  // None ends before both workers were seen at work, however slowly they are looked at.
  let gate = new AbortController();
  const slowly: Run = async (...call) => {
    if (!gate.signal.aborted) await once(gate.signal, 'abort');
    await new Promise((resolve) => setTimeout(resolve, 100));
    return atOnce(...call);
  };
  const rigs: Rig[] = [];
  const startWorker = async () => {
    const own = await openRig(place);
    rigs.push(own);
    return own.work(slowly, { drainMs: 5000 });
  };
  const workers = [await startWorker(), await startWorker()];
  const asked = await Promise.all(Array.from({ length: 12 }, (_, at) => rig.ask(`early ${at}`)));
  for (const [at, worker] of workers.entries()) {
    await until('both run something', async () => (await rig.jobs.counts()).processing > 2);
    const closed = worker.close();
    gate.abort();
    await closed;
    gate = new AbortController();
    await startWorker();
    for (let more = 0; more < 12; more += 1) asked.push(await rig.ask(`late ${at} ${more}`));
  }
  gate.abort();
  for (const { job } of asked) {
    const { status, attempts, fence } = await rig.ended(job);
    assert.equal([status, attempts, fence], ['succeeded', 1, 1]);
  }
  for (const one of rigs) await one.close();
});

test('a job has its time, and then deadline_exceeded', async ({ rig }) => {
  rig.parts.config = { ...rig.config, jobs: { ...rig.config.jobs, deadlineMs: 150 } };
  await rig.work(onCue().enhance);
  const done = await rig.ended((await rig.ask('a')).job);
  assert.equal([done.status, done.error?.code, done.charged], ['failed', 'deadline_exceeded', 0]);
});

test('erasing takes the media and the cache entry now, and leaves the record', async ({
  rig,
  dir,
}) => {
  await rig.work(atOnce);
  const done = await rig.ended((await rig.ask('a')).job);
  const erased = await rig.jobs.erase('acme', done.id);
  assert.equal([erased.status, erased.erased], ['succeeded', true]);
  assert.equal(readdirSync(join(dir, 'results')), []);
  assert.ok((erased.expires_at ?? Infinity) <= Date.now());
  assert.is((await rig.ask('a')).cached, false);
});

test('erasing a running job cancels it', async ({ rig, dir }) => {
  const model = onCue();
  await rig.work(model.enhance);
  const { job } = await rig.ask('a');
  await until('it runs', () => model.started.length === 1);
  await rig.jobs.erase('acme', job.id);
  assert.is((await rig.ended(job)).status, 'canceled');
  await until('its input is gone', () => readdirSync(join(dir, 'inputs')).length === 0);
});

test('what an attempt leaves for the next is found by it, and gone when the job is', async ({
  rig,
  dir,
}) => {
  const found: boolean[] = [];
  await rig.work(async (work, places, ...rest) => {
    const checkpoints = await openCheckpoints(places.work, 'r1');
    found.push((await checkpoints.read('chunk')) === 'pictures');
    await checkpoints.put('chunk', async (path) => writeFileSync(path, 'pictures'));
    if (found.length === 1) throw inferenceFailed();
    return atOnce(work, places, ...rest);
  });
  assert.is((await rig.ended((await rig.ask('a')).job)).status, 'succeeded');
  assert.equal(found, [false, true]);
  const left = () =>
    ['attempts', 'checkpoints'].flatMap((folder) => readdirSync(join(dir, folder)));
  await until('nothing is left', () => left().length === 0);
});

test('what an attempt wrote before it failed is removed', async ({ rig, dir }) => {
  await rig.work(async (_work, { target, work }) => {
    writeFileSync(target, 'half');
    mkdirSync(work.folder);
    throw new Failure('media_unreadable', { reason: 'cut off' });
  });
  await rig.ended((await rig.ask('a')).job);
  await until('nothing is left', () => readdirSync(join(dir, 'attempts')).length === 0);
});

test.run();
