import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { waitForEnd } from '../../src/jobs/record/wait.ts';
import { ownRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';
import { atOnce, codeOf, freshPlace, onCue, openRig } from './rig.ts';

const test = suite('waiting for a job');
// Its connections are counted: no other file may open any there.
const server = await ownRedis();
const rig = await openRig(freshPlace(server.url));
await rig.ledger.grant('acme', 10_000);
/** Its jobs wait, as it has no worker. */
const idle = await openRig(freshPlace(server.url));
await idle.ledger.grant('acme', 10_000);
const model = onCue();
await rig.work((...call) =>
  ('scale' in call[0].options && call[0].options.scale === 8 ? model.enhance : atOnce)(...call),
);
test.after(async () => {
  await rig.close();
  await idle.close();
  await server.close();
});

test('200 callers wait over one connection, and all hear of the end', async () => {
  const { job } = await rig.ask('slow', { options: { scale: 8 } });
  await until('it runs', () => model.started.length === 1);
  // A job is taken without a ticket, maybe before Bull, which opens these one after the other, has all of its own.
  await until('Bull has its connections', async () => /name=\S+:bull:/.test(await clients()));
  const before = await connections();
  const waiting = Array.from({ length: 200 }, () =>
    waitForEnd(rig, { ...job, account: 'acme' }, { timeoutMs: 10_000 }),
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.is(await connections(), before);
  model.go();
  const ends = await Promise.all(waiting);
  assert.ok(ends.every(({ status }) => status === 'succeeded'));
});

test('an end just before or just after the first look is not missed', async () => {
  for (let round = 0; round < 40; round += 1) {
    const { job } = await rig.ask(`quick ${round}`);
    await new Promise((resolve) => setTimeout(resolve, round % 8));
    assert.is(
      (await waitForEnd(rig, { ...job, account: 'acme' }, { timeoutMs: 30_000 })).status,
      'succeeded',
    );
  }
});

test('after its time the wait ends with the job as it stands', async () => {
  const { job } = await idle.ask('a', { credits: 10 });
  assert.is(
    (await waitForEnd(idle, { ...job, account: 'acme' }, { timeoutMs: 50 })).status,
    'queued',
  );
  await idle.jobs.cancel('acme', job.id);
});

test('a caller that hangs up ends its wait and nothing else', async () => {
  const { job } = await idle.ask('b');
  const hangUp = new AbortController();
  setTimeout(() => hangUp.abort(), 20);
  const seen = await waitForEnd(
    idle,
    { ...job, account: 'acme' },
    { timeoutMs: 10_000, signal: hangUp.signal },
  );
  assert.is(seen.status, 'queued');
  assert.is(
    (
      await waitForEnd(
        idle,
        { ...job, account: 'acme' },
        { timeoutMs: 10_000, signal: hangUp.signal },
      )
    ).status,
    'queued',
  );
  await idle.jobs.cancel('acme', job.id);
});

test('an end that fell into a gap of the connection is found after it', async () => {
  const { job } = await idle.ask('c');
  const waiting = waitForEnd(idle, { ...job, account: 'acme' }, { timeoutMs: 10_000 });
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.is.not(await idle.redis.client('KILL', 'TYPE', 'PUBSUB'), 0);
  await idle.jobs.cancel('acme', job.id);
  assert.is((await waiting).status, 'canceled');
});

test('another account’s job cannot be waited for', async () => {
  const { job } = await rig.ask('d');
  assert.is(
    await codeOf(waitForEnd(rig, { ...job, account: 'other' }, { timeoutMs: 1000 })),
    'not_found',
  );
});

const clients = async () => String(await rig.redis.client('LIST'));
const connections = async () => (await clients()).split('\n').length;

test.run();
