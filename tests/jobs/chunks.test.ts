/** Who has which chunk of a shared video: the list in Redis, and workers whose chunks are scripted. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { openChunkList } from '../../src/jobs/chunks/chunk-list.ts';
import { openAttempts } from '../../src/jobs/run/attempts.ts';
import type { ChunkWork } from '../../src/operations/sharing.ts';
import { untilAborted } from '../real/aborted.ts';
import { until } from '../real/until.ts';
import { atOnce, openRig, type Rig, type Run } from './rig.ts';
import { rigSuite } from './rig-suite.ts';

const test = await rigSuite('chunks');

const LEASE_MS = 60_000;

/** A job whose attempt runs here, and the lists of its owner and of two helpers. */
const running = async ({ stores, config, ask }: Rig, leaseMs = LEASE_MS) => {
  const attempts = openAttempts(stores, config, LEASE_MS);
  const { job } = await ask('a');
  const [said, , fence] = await attempts.take({ id: job.id, dispatch: 1 }, 'first');
  if (said !== 'taken' || fence === undefined) throw new Error(`expected the job; got ${said}`);
  const lists = [0, 1, 2].map(() => openChunkList(stores, leaseMs));
  const [owner, helper, other] = lists;
  if (!owner || !helper || !other) throw new Error('three lists were opened');
  return { attempts, id: job.id, fence, owner, helper, other };
};
const end = async ({ attempts, id, fence }: Awaited<ReturnType<typeof running>>) =>
  attempts.fail(id, fence, null);

test('the owner takes the first chunks and helpers the last ones, each once', async ({ rig }) => {
  const all = await running(rig);
  const { owner, helper, other, id, fence } = all;
  assert.is(await owner.share(id, fence, [2, 3, 5, 7]), 'shared');
  assert.is(await owner.next(id, fence), 2);
  assert.equal(await helper.take(), { id, fence, chunk: 7 });
  assert.equal(await other.take(), { id, fence, chunk: 5 });
  await owner.end({ id, fence, chunk: 2 }, 'done', 9);
  assert.is(await owner.next(id, fence), 3);
  assert.is(await helper.take(), null);
  await owner.end({ id, fence, chunk: 3 }, 'done', 9);
  assert.is(await owner.next(id, fence), 'wait');
  await helper.end({ id, fence, chunk: 7 }, 'done', 4);
  await other.beat({ id, fence, chunk: 5 }, 2);
  assert.is(await owner.framesOfOthers(id), 6);
  await other.end({ id, fence, chunk: 5 }, 'done', 3);
  assert.is(await owner.next(id, fence), 'done');
  assert.is(await owner.framesOfOthers(id), 7);
  await end(all);
});

test('a worker does not help itself, and asking twice gives an owner the same chunk', async ({
  rig,
}) => {
  const all = await running(rig);
  const { owner, id, fence } = all;
  await owner.share(id, fence, [0, 1]);
  assert.is(await owner.take(), null);
  assert.equal([await owner.next(id, fence), await owner.next(id, fence)], [0, 0]);
  await end(all);
});

test('a chunk whose helper was not heard of in time is taken again, and the helper is told', async ({
  rig,
}) => {
  const all = await running(rig, 150);
  const { owner, helper, other, id, fence } = all;
  await owner.share(id, fence, [0, 1]);
  const lost = { id, fence, chunk: 1 };
  assert.equal(await helper.take(), lost);
  assert.is(await helper.beat(lost, 1), 'on');
  await sleep(200);
  assert.equal(await other.take(), lost);
  assert.is(await helper.beat(lost, 2), 'stop');
  assert.is(await helper.end(lost, 'done', 5), 0);
  assert.is(await other.end(lost, 'done', 5), 1);
  await end(all);
});

test('a chunk that a helper cannot do is left to the owner, one that it gives back is not', async ({
  rig,
}) => {
  const all = await running(rig);
  const { owner, helper, other, id, fence } = all;
  await owner.share(id, fence, [0, 1, 2]);
  assert.is((await helper.take())?.chunk, 2);
  await helper.end({ id, fence, chunk: 2 }, 'left', 0);
  assert.is((await other.take())?.chunk, 1);
  await other.end({ id, fence, chunk: 1 }, 'free', 0);
  assert.is((await helper.take())?.chunk, 1);
  await owner.next(id, fence);
  await owner.end({ id, fence, chunk: 0 }, 'done', 1);
  assert.is(await owner.next(id, fence), 2);
  await end(all);
});

test('an attempt that lost its job shares nothing more, and its helpers stop', async ({ rig }) => {
  const { attempts, owner, helper, other, id, fence } = await running(rig);
  await owner.share(id, fence, [0, 1, 2]);
  const taken = { id, fence, chunk: 2 };
  await helper.take();
  await attempts.retry(id, fence, { delayMs: 0, counts: false });
  assert.is(await helper.beat(taken, 1), 'stop');
  assert.is(await helper.end(taken, 'done', 1), 0);
  assert.is(await other.take(), null);
  const [, , next = 0] = await attempts.take({ id, dispatch: 2 }, 'second');
  assert.ok(next > fence);
  assert.is(await owner.share(id, fence, [0]), 'lost');
  assert.is(await owner.next(id, fence), 'lost');
  assert.is(await owner.share(id, next, [0, 2]), 'shared');
  assert.is(await helper.beat(taken, 1), 'stop');
  assert.equal(await other.take(), { id, fence: next, chunk: 2 });
  await attempts.fail(id, next, null);
  assert.equal(await rig.redis.keys(`${rig.stores.prefix}:chunks:*`), []);
});

test('nobody takes chunks of a job that is being cancelled', async ({ rig }) => {
  const all = await running(rig);
  const { owner, helper, other, id, fence } = all;
  await owner.share(id, fence, [0, 1, 2]);
  await helper.take();
  await rig.jobs.cancel('acme', id);
  assert.is(await other.take(), null);
  assert.is(await helper.beat({ id, fence, chunk: 2 }, 1), 'stop');
  await end(all);
});

/** A video of chunks of 10 frames; `make` does one, wherever. */
const sharing =
  (missing: readonly number[], make: ChunkWork['make']): Run =>
  async (work, places, report, signal) => {
    const framesTotal = 10 * missing.length;
    const onFrames = (framesDone: number) =>
      report({ stage: 'inference', framesDone, framesTotal });
    await places.share({ missing, make, onFrames });
    return atOnce(work, places, report, signal);
  };

test('the frames of a helper count as the job’s, and its failure is not the job’s', async ({
  rig,
  place,
}) => {
  const second = await openRig(place);
  const [own, helped]: [number[], number[]] = [[], []];
  let go = () => {};
  const cue = new Promise<void>((resolve) => {
    go = resolve;
  });
  await rig.work(
    sharing([0, 1, 2, 3], async (chunk, onFrames) => {
      own.push(chunk);
      await cue;
      onFrames(10);
    }),
  );
  const { job } = await rig.ask('a');
  await until('it is shared', () => own.length === 1);
  await second.work(atOnce, {}, async (_work, _places, { chunk, onFrames }) => {
    if (chunk === 3) throw new Error('not on this machine');
    helped.push(chunk);
    onFrames(10);
  });
  const framesDone = async () => (await rig.jobs.get('acme', job.id)).progress?.frames_done;
  await until('two chunks were helped with', async () => (await framesDone()) === 20);
  go();
  const done = await rig.ended(job);
  assert.equal([done.status, done.attempts, done.charged], ['succeeded', 1, 10]);
  assert.equal([own, helped, done.progress?.frames_done], [[0, 3], [2, 1], 40]);
  await second.close();
});

test('a worker without a free slot does not help', async ({ rig, place }) => {
  const second = await openRig(place, { WORKER_CONCURRENCY: '1' });
  let go = () => {};
  const cue = new Promise<void>((resolve) => {
    go = resolve;
  });
  const busy: string[] = [];
  const started = (): Promise<void> => {
    busy.push('now');
    return cue;
  };
  let helped = 0;
  await second.work(
    async (...call) => {
      await started();
      return atOnce(...call);
    },
    {},
    async () => {
      helped += 1;
    },
  );
  const { job: first } = await second.ask('first');
  await until('it is busy', () => busy.length === 1);
  const own: number[] = [];
  await rig.work(
    sharing([0, 1, 2], async (chunk) => {
      own.push(chunk);
      await sleep(100);
    }),
  );
  const { job } = await rig.ask('second');
  assert.is((await rig.ended(job)).status, 'succeeded');
  assert.equal([own, helped], [[0, 1, 2], 0]);
  go();
  await rig.ended(first);
  await second.close();
});

test('a worker that is closed gives its chunk back', async ({ rig, place }) => {
  const second = await openRig(place);
  const own: number[] = [];
  let helping = false;
  await rig.work(
    sharing([0, 1], async (chunk) => {
      own.push(chunk);
      await until('another helps', () => helping);
    }),
  );
  const { job } = await rig.ask('a');
  await until('it is shared', () => own.length === 1);
  const worker = await second.work(atOnce, {}, async (_work, _places, _part, signal) => {
    helping = true;
    await untilAborted(signal);
  });
  await until('the other helps', () => helping);
  await worker.close();
  assert.is((await rig.ended(job)).status, 'succeeded');
  assert.equal(own, [0, 1]);
  await second.close();
});

test.run();
