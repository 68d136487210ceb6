/** Processes that are killed in the middle of a job, one by one and all at once. What has to hold then is in aftermath.ts. The model takes a fixed time, so that a job lasts as long on any machine. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { h264, makeClip, pattern, timesOf } from '../real/clip.ts';
import { killDecoders, killEncoders } from '../real/decoders.ts';
import { fixedDelayTriton } from '../real/fixed-delay.ts';
import { ownRedis } from '../real/redis.ts';
import { tempDir } from '../real/run.ts';
import { type Caller, ended, realService } from '../real/service.ts';
import { until } from '../real/until.ts';
import { nothingLost } from './aftermath.ts';
import { follow } from './follow.ts';

const test = suite('killed processes');
const [triton, redis] = await Promise.all([
  fixedDelayTriton(100, 4, ['photo_realtime']),
  ownRedis(),
]);
const service = await realService(
  { WORKER_DRAIN_SECONDS: '20' },
  Promise.resolve(triton),
  Promise.resolve(redis),
);
const dir = tempDir('killed');
const granted = 1000;
const photo = { model: 'photo', scale: 2, effort: 'best' };
const later = { prefer: 'respond-async' };

const clip = (size: string, seconds = 2): Promise<string> =>
  makeClip(join(dir, `${randomUUID()}.mp4`), pattern(seconds, 25, size), h264);
/** A picture of its own. */
const picture = async (): Promise<string> => {
  const path = join(dir, `${randomUUID()}.png`);
  const [r, g, b] = [0, 1, 2].map(() => Math.floor(Math.random() * 256));
  await sharp({ create: { width: 32, height: 32, channels: 3, background: { r, g, b } } })
    .png()
    .toFile(path);
  return path;
};
const made = async (caller: Caller, path: string, effort = 'best'): Promise<string> => {
  const { status, data } = await caller.upscale(path, { ...photo, effort }, later);
  assert.is(status, 202, JSON.stringify(data));
  return data.id;
};
/** A video job that has begun. */
const begun = async (
  caller: Caller,
  size: string,
  effort?: string,
  seconds?: number,
): Promise<string> => {
  const id = await made(caller, await clip(size, seconds), effort);
  await caller.until(id, ({ progress }) => (progress?.frames_done ?? 0) >= 2);
  return id;
};
const record = (id: string) => service.stores.redis.hgetall(`${service.stores.prefix}:job:${id}`);
const attempts = async (id: string) => {
  const { attempts, lost } = await record(id);
  return { attempts: Number(attempts), lost: Number(lost) };
};
const whole = async (caller: Caller, ids: readonly string[], frames = 50) => {
  for (const { status, error, result } of await nothingLost(service, caller, { granted, ids })) {
    assert.is(status, 'succeeded', JSON.stringify(error));
    assert.ok(result);
    if ('frames' in result) assert.is(result.frames, frames);
  }
};

test('Triton: the job goes on when it is back', async () => {
  const caller = await service.caller(granted);
  const id = await begun(caller, '112x80');
  await triton.kill();
  await triton.start();
  await whole(caller, [id]);
  assert.equal(await attempts(id), { attempts: 1, lost: 0 });
});

for (const [effort, size] of [
  ['best', '112x88'],
  ['realtime', '480x272'],
] as const) {
  test(`the worker, with effort ${effort}: the next one does the job`, async () => {
    const caller = await service.caller(granted);
    const id = await begun(caller, size, effort);
    await service.worker.kill();
    await service.worker.start();
    await whole(caller, [id]);
    assert.equal(await attempts(id), { attempts: 2, lost: 1 });
  });
}

test('the decoder after half of the frames, then the encoder of a video: it is done again, whole', async () => {
  const caller = await service.caller(granted);
  // Its second half takes the model 2 s at least, so that the decoder is there when half is told to be done.
  const frames = 150;
  const id = await begun(caller, '120x80', 'best', frames / 25);
  const { status } = await caller.until(
    id,
    (job) => ended(job) || (job.progress?.frames_done ?? 0) > frames / 2,
  );
  assert.is(status, 'processing');
  await killDecoders(service.worker.pid());
  await until('it is tried again', async () => (await attempts(id)).attempts === 2);
  await caller.until(id, ({ progress }) => (progress?.frames_done ?? 0) >= 2);
  await killEncoders(service.worker.pid());
  await whole(caller, [id], frames);
  const { result } = await caller.job(id);
  const path = join(dir, `${id}.mp4`);
  writeFileSync(path, await caller.download(result?.output_url ?? ''));
  assert.is((await timesOf(path)).length, frames);
  assert.equal(await attempts(id), { attempts: 3, lost: 0 });
});

test('Redis: the job goes on, and what it was told before is still true', async () => {
  const caller = await service.caller(granted);
  const id = await begun(caller, '104x80');
  const waits = await made(caller, await picture());
  await redis.kill();
  const { status, data } = await caller.http.get(`/v1/jobs/${id}`);
  assert.is(status, 503);
  assert.is(data.code, 'database_unavailable');
  await redis.start();
  await caller.until(id, () => true);
  await whole(caller, [id, waits]);
  assert.equal(await attempts(id), { attempts: 1, lost: 0 });
});

test('the API: who waited asks again with the same key, and who followed the events goes on', async () => {
  const caller = await service.caller(granted);
  const path = await clip('104x88');
  const ask = () => caller.upscale(path, photo, { 'idempotency-key': 'once' });
  const waiting = ask().catch(String);
  const running = async () => (await caller.http.get('/v1/jobs?status=processing')).data.data[0];
  let job = await running();
  while (!job) job = await running();
  const following = follow(caller, job.id);
  // An upload that is cut off half way.
  const upload = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {});
  const head = `POST /v1/uploads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${caller.key}\r\nContent-Length: 1000000\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n`;
  upload.write(`${head}--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`);
  upload.write(Buffer.alloc(100_000));
  await caller.until(job.id, ({ progress }) => (progress?.frames_done ?? 0) >= 2);
  await service.killApi();
  assert.match(String(await waiting), /socket hang up|ECONNRESET/);
  await service.startApi();
  const { status, data } = await ask();
  assert.equal([status, data.id], [200, job.id], JSON.stringify(data));
  const { last, connections } = await following;
  assert.equal([last.status, last.id, connections >= 2], ['succeeded', job.id, true]);
  await whole(caller, [job.id]);
  assert.equal(await attempts(job.id), { attempts: 1, lost: 0 });
});

test('all at once, as when the power fails: every job that was accepted is done', async () => {
  const caller = await service.caller(granted);
  const ids = [await begun(caller, '96x88'), await made(caller, await clip('96x80'))];
  for (let count = 0; count < 4; count += 1) ids.push(await made(caller, await picture()));
  await Promise.all([redis.kill(), triton.kill(), service.worker.kill(), service.killApi()]);
  await Promise.all([redis.start(), triton.start()]);
  await Promise.all([service.startApi(), service.worker.start()]);
  await whole(caller, ids);
});

test('two workers, one after the other, by a deploy: no job fails, none is run twice', async () => {
  const ready = () => service.log('worker').split('"msg":"ready"').length;
  const oneMoreReady = async <T>(start: () => Promise<T>): Promise<T> => {
    const before = ready();
    const started = await start();
    await until('it takes jobs', () => ready() > before);
    return started;
  };
  const callers = await Promise.all([1, 2, 3].map(() => service.caller(granted)));
  const ids: string[][] = callers.map(() => []);
  /** Nine jobs; fails unless some of them have not ended when all are accepted. */
  const load = async (seconds: number): Promise<void> => {
    for (const [at, caller] of callers.entries()) {
      const paths = await Promise.all([picture(), picture(), clip('64x48', seconds + at / 10)]);
      ids[at]?.push(...(await Promise.all(paths.map((path) => made(caller, path)))));
    }
    const states = await Promise.all(ids.flat().map(record));
    assert.ok(
      states.some(({ finished_at }) => !finished_at),
      'there is work',
    );
  };
  const second = await oneMoreReady(service.addWorker);
  await load(2);
  process.kill(service.worker.pid(), 'SIGTERM');
  assert.is(await service.worker.ended(), 'exit code 0');
  await oneMoreReady(service.worker.start);
  await load(3);
  process.kill(second.pid, 'SIGTERM');
  assert.is(await second.exited, 'exit code 0');
  for (const [at, caller] of callers.entries())
    for (const id of ids[at] ?? []) await caller.until(id, ended);
  for (const [at, caller] of callers.entries()) {
    for (const job of await nothingLost(service, caller, { granted, ids: ids[at] ?? [] }))
      assert.is(job.status, 'succeeded', JSON.stringify(job.error));
  }
  for (const id of ids.flat()) {
    const { fence, attempts: counted, lost } = await record(id);
    assert.equal([fence, counted, lost], ['1', '1', '0'], id);
  }
});

test.after(service.close);

test.run();
