import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { JobStatus } from '../../src/contract/job.ts';
import { moves } from '../../src/jobs/record/record.ts';
import { openAttempts } from '../../src/jobs/run/attempts.ts';
import { programOf } from '../real/program.ts';
import { ownRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';
import {
  atOnce,
  finished,
  freshPlace,
  onCue,
  openRig,
  type Place,
  quick,
  type Rig,
} from './rig.ts';
import { rigSuite } from './rig-suite.ts';

const test = await rigSuite('recovery');

const startProcess = (place: Place): ChildProcess => {
  const args = [...programOf('jobs/worker-process.ts'), JSON.stringify(place)];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
};
/** It says when it has the job; one that fails says nothing. */
const started = (worker: ChildProcess): Promise<unknown> =>
  once(worker.stdout ?? worker, 'data', { signal: AbortSignal.timeout(60_000) });
const killed = async (worker: ChildProcess): Promise<void> => {
  const exited = once(worker, 'exit');
  worker.kill('SIGKILL');
  await exited;
};
const dropBull = async ({ redis, stores }: Rig): Promise<void> => {
  const keys = await redis.keys(`${stores.prefix}:bull:*`);
  if (keys.length > 0) await redis.del(...keys);
};
/** As if its worker had not been heard of for a lease; again, where a heartbeat came between the two steps. */
const loseWorker = async ({ redis, stores, config }: Rig, id: string): Promise<void> => {
  const { due } = openAttempts(stores, config, 60_000);
  await until('its worker is lost', async () => {
    await redis.zadd(`${stores.prefix}:due`, 0, id);
    await due(10);
    return (await redis.hget(`${stores.prefix}:job:${id}`, 'lost')) === '1';
  });
};

/** Every step of every job that `moves` does not allow. */
const watchMoves = async ({ redis, stores }: Rig) => {
  const subscriber = redis.duplicate();
  const at = new Map<string, JobStatus>();
  const forbidden: string[] = [];
  subscriber.on('message', (_channel, text) => {
    const { id, event } = JSON.parse(text);
    const { data: next } = JobStatus.safeParse(event);
    if (!next) return;
    const before = at.get(id) ?? 'queued';
    if (before !== next && !moves[before].includes(next)) forbidden.push(`${before} → ${next}`);
    at.set(id, next);
  });
  await subscriber.subscribe(`${stores.prefix}:events`);
  return {
    forbidden: async () => {
      await subscriber.quit();
      return forbidden;
    },
  };
};

test('a job whose server died before it reached the queue runs all the same', async ({ rig }) => {
  const deliver = async () => {
    throw new Error('the connection is gone');
  };
  const { job } = await rig.ask('a', { to: { ...rig.parts, queue: { ...rig.queue, deliver } } });
  assert.is(job.status, 'queued');
  await rig.work(atOnce);
  assert.equal(
    [(await rig.ended(job)).charged, await rig.credits()],
    [10, { balance: 990, held: 0 }],
  );
});

test('a waiting job that the queue lost runs all the same', async ({ rig }) => {
  const { job } = await rig.ask('a');
  await dropBull(rig);
  await rig.work(atOnce);
  assert.is((await rig.ended(job)).status, 'succeeded');
});

test('a job whose worker was killed runs again and is charged once', async ({ rig, place }) => {
  const worker = startProcess(place);
  const { job } = await rig.ask('a');
  await started(worker);
  assert.is((await rig.jobs.get('acme', job.id)).status, 'processing');
  await killed(worker);
  await rig.work(atOnce);
  const done = await rig.ended(job);
  assert.equal([done.status, done.attempts, done.lost, done.charged], ['succeeded', 2, 1, 10]);
  assert.equal(await rig.credits(), { balance: 990, held: 0 });
  await until('nothing is left of the first attempt', () =>
    ['attempts', 'inputs'].every((folder) => readdirSync(join(place.dir, folder)).length === 0),
  );
});

test('a job that kills every worker fails with worker_lost, its credits back, even if the queue forgot it', async ({
  rig,
  place,
}) => {
  rig.parts.config = { ...rig.config, jobs: { ...rig.config.jobs, attempts: 1 } };
  const worker = startProcess(place);
  const { job } = await rig.ask('a');
  await started(worker);
  await killed(worker);
  await dropBull(rig);
  await rig.work(atOnce);
  const done = await rig.ended(job);
  assert.equal([done.status, done.error], ['failed', { code: 'worker_lost', facts: { times: 1 } }]);
  assert.equal(await rig.credits(), { balance: 1000, held: 0 });
});

test('a job that was to be cancelled when its worker died is cancelled', async ({ rig, place }) => {
  const worker = startProcess(place);
  const { job } = await rig.ask('a');
  await started(worker);
  await killed(worker);
  await rig.jobs.cancel('acme', job.id);
  await rig.work(atOnce);
  assert.is((await rig.ended(job)).status, 'canceled');
});

test('an attempt that lost its job to another worker stops, and only the last one counts', async ({
  rig,
}) => {
  const model = onCue();
  await rig.work(model.enhance);
  const { job } = await rig.ask('a');
  await until('it runs', () => model.started.length === 1);
  await loseWorker(rig, job.id);
  await until('it runs again', () => model.started.length === 2);
  model.go();
  const done = await rig.ended(job);
  assert.equal([done.status, done.charged, done.lost], ['succeeded', 10, 1]);
});

test('whatever an old attempt says is refused', async ({ rig }) => {
  const attempts = openAttempts(rig.stores, rig.config, 60_000);
  const { job } = await rig.ask('a');
  const [, , old = 0] = await attempts.take({ id: job.id, dispatch: 1 }, 'first');
  await loseWorker(rig, job.id);
  const [, , next = 0] = await attempts.take({ id: job.id, dispatch: 2 }, 'second');
  assert.ok(next > old);
  assert.is(await attempts.beat(job.id, old, null), 'lost');
  assert.is(await attempts.succeed(job.id, old, finished), 'lost');
  assert.is(await attempts.fail(job.id, old, null), 'lost');
  assert.is(await attempts.retry(job.id, old, { delayMs: 0, counts: true }), 'lost');
  assert.is(await attempts.beat(job.id, next, null), 'on');
  assert.is(await attempts.succeed(job.id, next, finished), 'succeeded');
  assert.is(await attempts.succeed(job.id, old, finished), 'lost');
  assert.equal(await rig.credits(), { balance: 990, held: 0 });
});

test('a step that is sent again after a lost connection has its effect once', async ({ rig }) => {
  const attempts = openAttempts(rig.stores, rig.config, 60_000);
  const { job } = await rig.ask('a');
  const taken = await attempts.take({ id: job.id, dispatch: 1 }, 'first');
  assert.equal(await attempts.take({ id: job.id, dispatch: 1 }, 'first'), taken);
  const [, , fence = 0] = taken;
  assert.is(await attempts.succeed(job.id, fence, finished), 'succeeded');
  assert.is(await attempts.succeed(job.id, fence, finished), 'succeeded');
  assert.equal(await rig.credits(), { balance: 990, held: 0 });
});

test('a job that waits for its next attempt is not started before that, whatever ticket comes', async ({
  rig,
}) => {
  const attempts = openAttempts(rig.stores, rig.config, 60_000);
  const { job } = await rig.ask('a');
  const [, , fence = 0] = await attempts.take({ id: job.id, dispatch: 1 }, 'first');
  assert.is(await attempts.retry(job.id, fence, { delayMs: 4_000, counts: true }), 'queued');
  assert.equal(await attempts.take({ id: job.id, dispatch: 2 }, 'early'), ['none']);
  assert.equal((await attempts.due(10)).tickets, []);
  await sleep(4_050);
  assert.equal((await attempts.due(10)).tickets, [{ id: job.id, dispatch: 2 }]);
  assert.is((await attempts.take({ id: job.id, dispatch: 1 }, 'late'))[0], 'taken');
  assert.equal(await attempts.take({ id: job.id, dispatch: 2 }, 'again'), ['none']);
  await rig.jobs.cancel('acme', job.id);
});

test('two workers and many jobs, some failing: each ends once and the books agree', async ({
  rig,
  place,
}) => {
  const second = await openRig(place);
  let calls = 0;
  for (const one of [rig, second]) {
    await one.work(async (...call) => {
      calls += 1;
      if (calls % 5 === 0) throw new Error('now and then');
      return atOnce(...call);
    });
  }
  const watched = await watchMoves(rig);
  const asked = await Promise.all(
    Array.from({ length: 40 }, (_, index) => (index % 2 ? rig : second).ask(`media ${index}`)),
  );
  const cancelled = asked.slice(0, 8);
  await Promise.all(cancelled.map(({ job }) => rig.jobs.cancel('acme', job.id)));
  const ends = await Promise.all(asked.map(({ job }) => rig.ended(job)));
  const charged = ends.reduce((sum, job) => sum + job.charged, 0);
  assert.equal(await rig.credits(), { balance: 1000 - charged, held: 0 });
  assert.ok(ends.every(({ status, charged: paid }) => (status === 'succeeded') === (paid === 10)));
  await second.close();
  assert.equal(await watched.forbidden(), []);
});

test('the first look of a new worker gives no new lease to the job of the one that died', async ({
  rig,
}) => {
  const { job } = await rig.ask('a');
  const leaseMs = 200;
  const dead = openAttempts(rig.stores, rig.config, leaseMs);
  await dead.due(10);
  await dead.take({ id: job.id, dispatch: 1 }, 'first');
  await sleep(2 * leaseMs);
  const { tickets } = await openAttempts(rig.stores, rig.config, leaseMs).due(10);
  assert.equal(tickets, [{ id: job.id, dispatch: 2 }]);
  const { status, lost } = await rig.jobs.get('acme', job.id);
  assert.equal([status, lost], ['queued', 1]);
});

test('Redis may be killed and come back in the middle of a job', async () => {
  const own = await ownRedis();
  const rig = await openRig(freshPlace(own.url));
  try {
    await rig.ledger.grant('acme', 1000);
    const model = onCue();
    await rig.work(model.enhance, { leaseMs: 10_000 });
    const { job } = await rig.ask('a');
    await until('it runs', () => model.started.length === 1);
    const ended = rig.ended(job, 60_000);
    await own.kill();
    await own.start();
    model.go();
    const done = await ended;
    assert.equal([done.status, done.attempts, done.charged], ['succeeded', 1, 10]);
    assert.equal(await rig.differences(), []);
  } finally {
    await rig.close();
    await own.close();
  }
});

test('a Redis that stands still for longer than a lease costs a living job no attempt', async () => {
  const own = await ownRedis();
  const rig = await openRig(freshPlace(own.url));
  try {
    await rig.ledger.grant('acme', 1000);
    const model = onCue();
    await rig.work(model.enhance);
    const { job } = await rig.ask('a');
    await until('it runs', () => model.started.length === 1);
    own.pause();
    await sleep(2 * quick.leaseMs);
    own.resume();
    // Long enough for Bull, whose lock ended, to look twice and give the job out again.
    await sleep(2 * quick.leaseMs);
    assert.is(model.started.length, 1);
    model.go();
    const done = await rig.ended(job);
    const { status, attempts, lost, fence } = done;
    assert.equal([status, attempts, lost, fence], ['succeeded', 1, 0, 1]);
    assert.equal(await rig.differences(), []);
  } finally {
    await rig.close();
    await own.close();
  }
});

test('a worker sweeps as soon as it starts, so that one that often restarts does so too', async ({
  rig,
  place,
}) => {
  const old = join(place.dir, 'results', 'job_0.1.png');
  writeFileSync(old, 'expired');
  utimesSync(old, 0, 0);
  await rig.work(atOnce);
  await until('it is gone', () => !existsSync(old));
});

test.run();
