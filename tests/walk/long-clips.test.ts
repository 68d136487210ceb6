/** A lip sync in several chunks: goes on after the last whole one, can be cancelled anywhere, and leaves nothing. */
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../src/contract/job.ts';
import { packetsOf, timesOf } from '../real/clip.ts';
import { tempDir } from '../real/run.ts';
import { ended, realService } from '../real/service.ts';
import { sounds } from '../real/sounds.ts';
import { talkingHead } from '../real/talking.ts';
import { lipsyncNames, realTriton } from '../real/triton.ts';
import { until } from '../real/until.ts';

const test = suite('long clips');
const dir = tempDir('long');
const at = (name: string) => join(dir, name);
const SECONDS = 4;
/** Frames a second: fewer than usual, since what is tested is chunks. */
const RATE = 12;
const service = await realService(
  { LIPSYNC_CHUNK_SECONDS: '1', PROVENANCE: 'on' },
  realTriton(lipsyncNames('fast')),
);
const caller = await service.caller(1000);
const attempts = join(service.config.files.dir, 'attempts');
const checkpoints = join(service.config.files.dir, 'checkpoints');

const clip = await talkingHead(at('clip.mp4'), SECONDS, '320x320', [`fps=${RATE}`]);
/** A different pitch is another sound. */
const soundOf = (pitchHz: number) => sounds.babble(at(`${pitchHz}.wav`), SECONDS, { pitchHz });

const start = async (sound: string): Promise<string> => {
  const async = { prefer: 'respond-async' };
  const { status, data } = await caller.lipsync(clip, sound, {}, async);
  assert.is(status, 202, JSON.stringify(data));
  return data.id;
};

/** The finished chunks of a job, each as its file is known to the disk. */
const chunksOf = (id: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(checkpoints).flatMap((file) => {
      const name = /\.(chunk-\d+\.mp4)$/.exec(file)?.[1];
      if (!file.startsWith(`${id}.`) || !name) return [];
      // A job that ends removes them.
      const known = statSync(join(checkpoints, file), { throwIfNoEntry: false });
      return known ? [[name, `${known.ino} ${known.mtimeMs}`]] : [];
    }),
  );
const left = () => [attempts, checkpoints].flatMap((folder) => readdirSync(folder));

const untilChunks = async (id: string, count: number): Promise<Record<string, string>> => {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(20)) {
    const chunks = chunksOf(id);
    if (Object.keys(chunks).length >= count) return chunks;
  }
  throw new Error(`${id} has ${Object.keys(chunksOf(id)).length} chunks`);
};

const resultOf = async (job: Job, of = caller): Promise<string> => {
  assert.is(job.status, 'succeeded', JSON.stringify(job.error));
  const path = at(`${job.id}.mp4`);
  writeFileSync(path, await of.download(job.result?.output_url ?? ''));
  return path;
};

test('a worker that is killed is followed by one that goes on after the last whole chunk', async () => {
  const sound = await soundOf(120);
  const before = (await caller.balance()).available;
  const undisturbed = await caller.until(await start(sound), ended, 200_000);
  const expected = await resultOf(undisturbed);
  // The same again, of another account: nothing is cached.
  const second = await service.caller(1000);
  const { data } = await second.lipsync(clip, sound, {}, { prefer: 'respond-async' });
  const whole = await untilChunks(data.id, 2);
  await service.worker.kill();
  assert.equal(await second.job(data.id).then(({ status }) => status), 'processing');
  await service.worker.start();
  const done: number[] = [];
  let after: Record<string, string> = {};
  const job = await second.until(
    data.id,
    (now) => {
      if (now.progress?.stage === 'inference') done.push(now.progress.frames_done);
      // At the job's end they are removed, one after the other.
      after = { ...after, ...chunksOf(data.id) };
      return ended(now);
    },
    200_000,
  );
  for (const [name, file] of Object.entries(whole)) assert.is(after[name], file, name);
  // What the first worker said last stays until the second says something.
  const [first = 0] = done;
  assert.ok(
    done.every((count) => count === first || count >= 2 * RATE),
    `${done}`,
  );
  assert.equal([job.cost.charged, undisturbed.cost.charged], [SECONDS, SECONDS]);
  const path = at('resumed.mp4');
  writeFileSync(path, await second.download(job.result?.output_url ?? ''));
  for (const stream of ['v', 'a'])
    assert.is(await packetsOf(path, stream), await packetsOf(expected, stream));
  assert.equal(await timesOf(path), await timesOf(expected));
  assert.equal(
    [job.result?.frames, (await timesOf(path)).length],
    [SECONDS * RATE, SECONDS * RATE],
  );
  await until('nothing is left', () => left().length === 0);
  assert.is((await caller.balance()).available, before - SECONDS);
});

/** Lets a stopped worker renew the lease of its job, which lasts 8 s: silent for longer, it is taken for lost. */
const beatOnce = async (pid: number, id: string): Promise<void> => {
  const { redis, prefix } = service.stores;
  const lease = () => redis.zscore(`${prefix}:due`, id);
  const before = await lease();
  process.kill(pid, 'SIGCONT');
  await until('the lease is renewed', async () => (await lease()) !== before);
  process.kill(pid, 'SIGSTOP');
  await sleep(2_000);
};

test('two workers make the same of it, bit for bit', async () => {
  const helper = await service.addWorker();
  // So that the first worker gets the job, and the second one a chunk of it.
  process.kill(helper.pid, 'SIGSTOP');
  const third = await service.caller(1000);
  const sound = at('120.wav');
  const { data } = await third.lipsync(clip, sound, {}, { prefer: 'respond-async' });
  await untilChunks(data.id, 1);
  process.kill(helper.pid, 'SIGCONT');
  const helped = new RegExp(`${data.id}.*chunk of another worker done`);
  await until(
    'the second worker has done a chunk',
    async () => {
      await beatOnce(service.worker.pid(), data.id);
      return helped.test(service.log('worker'));
    },
    120_000,
  );
  process.kill(service.worker.pid(), 'SIGCONT');
  const job = await third.until(data.id, ended, 200_000);
  await helper.stop();
  // The job of the first test, which one worker did undisturbed.
  const { data: list } = await caller.http.get('/v1/jobs?status=succeeded');
  const [alone] = list.data;
  const expected = at(`${alone.id}.mp4`);
  const path = await resultOf(job, third);
  for (const stream of ['v', 'a'])
    assert.is(await packetsOf(path, stream), await packetsOf(expected, stream));
  assert.equal(job.result?.sync, alone.result.sync);
  assert.is(job.result?.frames_passed_through, alone.result.frames_passed_through);
  assert.is(job.cost.charged, SECONDS);
  await until('nothing is left', () => left().length === 0);
});

for (const [what, reached] of Object.entries({
  'in the middle of its chunks': ({ progress }: Job) => (progress?.frames_done ?? 0) > 1.5 * RATE,
  'while its chunks are joined': ({ progress }: Job) => progress?.stage === 'encoding',
})) {
  test(`a job that is cancelled ${what} ends, is free and leaves nothing`, async () => {
    const before = (await caller.balance()).available;
    const id = await start(await soundOf(what.length * 5));
    const { progress } = await caller.until(id, (job) => reached(job) || ended(job), 200_000);
    assert.is(progress?.frames_total, SECONDS * RATE);
    await caller.http.post(`/v1/jobs/${id}/cancel`);
    const job = await caller.until(id, ended);
    assert.equal([job.status, job.cost.charged], ['canceled', 0]);
    assert.is((await caller.balance()).available, before);
    await caller.until(id, () => left().length === 0);
  });
}

test('a job that is cancelled between two attempts leaves nothing', async () => {
  const id = await start(await soundOf(200));
  await untilChunks(id, 1);
  await service.worker.kill();
  await caller.http.post(`/v1/jobs/${id}/cancel`);
  await service.worker.start();
  const job = await caller.until(id, ended, 60_000);
  assert.is(job.status, 'canceled');
  await caller.until(id, () => left().length === 0);
  const { clean, differences } = await service.audit(caller.account);
  assert.ok(clean, differences.join('\n'));
});

test.after(service.close);
test.run();
