/** Parts that are there but starve: a Redis that comes late or has no memory, a full disk, a Triton that crawls. The model takes a fixed time. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../../src/stack/home.mjs';
import { h264, makeClip, pattern } from '../real/clip.ts';
import { fixedDelayTriton } from '../real/fixed-delay.ts';
import { ownRedis } from '../real/redis.ts';
import { tempDir } from '../real/run.ts';
import { type Caller, ended, realService } from '../real/service.ts';
import { skip } from '../real/skip.ts';
import { smallDisk } from '../real/small-disk.ts';
import { until } from '../real/until.ts';
import { nothingLost } from './aftermath.ts';
import { crawlingProxy } from './crawling-proxy.ts';

const test = suite('starved parts');
const [triton, redis] = await Promise.all([fixedDelayTriton(100, 2), ownRedis()]);
const proxy = await crawlingProxy(triton.httpUrl);
const disk = smallDisk(24);
await redis.kill();
const service = await realService(
  {
    TRITON_HTTP_URL: proxy.url,
    TRITON_TRANSPORT: 'http',
    ...(disk !== null && { DATA_DIR: disk, DISK_RESERVE_BYTES: '0' }),
  },
  Promise.resolve(triton),
  Promise.resolve(redis),
);
const dir = tempDir('starved');
const granted = 1000;

const begun = async (caller: Caller, size: string): Promise<string> => {
  const path = await makeClip(join(dir, `${size}.mp4`), pattern(2, 25, size), h264);
  const fields = { model: 'photo', scale: 2, effort: 'best' };
  const { status, data } = await caller.upscale(path, fields, { prefer: 'respond-async' });
  assert.is(status, 202, JSON.stringify(data));
  await caller.until(data.id, ({ progress }) => (progress?.frames_done ?? 0) >= 2);
  return data.id;
};
/** What /readyz misses, besides the models that this Triton does not have. */
const missing = async (): Promise<string[]> => {
  const { data } = await axios.get(`${service.url}/readyz`, { validateStatus: () => true });
  return data.missing.filter((what: string) => !what.startsWith('the model'));
};

test('a Redis that is not there when the service starts is waited for, and told', async () => {
  try {
    assert.equal(await missing(), ['Redis does not answer']);
    await until('the worker says so', () =>
      /ECONNREFUSED.*Redis failed/.test(service.log('worker')),
    );
    await until('it is ready', () => service.log('worker').includes('"msg":"ready"'));
    const logged = `${service.log('worker')}${service.log('api')}`;
    assert.not.match(logged, /"stack"/, 'where a connection is refused is known');
    assert.not.match(
      logged,
      /a repeated task failed/,
      'each look of every task would say it again',
    );
    const times = logged.split('Redis failed').length - 1;
    assert.ok(times < 8, `each process says it once in 10 s, not ${times} times`);
    await service.worker.stop();
    assert.is(await service.worker.ended(), 'exit code 0', 'it also ends without Redis');
    await service.worker.start();
  } finally {
    // The tests that follow would wait for it without end.
    await redis.start();
  }
  const caller = await service.caller(granted);
  await until('it is ready', async () => (await missing()).length === 0);
  const id = await begun(caller, '64x48');
  const [job] = await nothingLost(service, caller, { granted, ids: [id] });
  assert.is(job?.status, 'succeeded', JSON.stringify(job?.error));
});

test('a Redis without memory refuses new work with a sentence, and the running job ends when there is memory', async () => {
  const caller = await service.caller(granted);
  const id = await begun(caller, '96x64');
  await service.stores.redis.config('SET', 'maxmemory', '1');
  const { status, data } = await caller.http.get('/v1/credits');
  assert.equal([status, data.code], [503, 'database_unavailable']);
  assert.match(data.detail, /Redis. has no memory left. Try again later/);
  assert.ok((await missing()).includes('Redis has no memory left'));
  const { data: figures } = await axios.get(`${service.url}/metrics`);
  assert.match(figures, /^enhance_redis_up 0$/m);
  const bin = join(root, 'src/cli/bin.mjs');
  const grant = await execa('node', [bin, 'credits', 'grant', 'acme', '5'], {
    reject: false,
    timeout: 60_000,
    env: service.env,
  });
  assert.is(grant.exitCode, 1);
  assert.match(grant.stderr, /^Redis at .* has no memory left, and refuses writes\.$/);
  await until('the worker says so', () => /OOM .*Redis failed/.test(service.log('worker')));
  // A replica ends what waits for work, and refuses it: each of the 50 deliveries of webhooks tries again each second.
  await service.stores.redis.replicaof('127.0.0.1', 1);
  await sleep(1_500);
  await service.stores.redis.replicaof('NO', 'ONE');
  await service.stores.redis.config('SET', 'maxmemory', '0');
  const times = service.log('worker').split('READONLY').length - 1;
  assert.ok(times < 20, `each script and queue says it once in 10 s, not ${times} times in all`);
  const [job] = await nothingLost(service, caller, { granted, ids: [id] });
  assert.is(job?.status, 'succeeded', JSON.stringify(job?.error));
  const record = await service.stores.redis.hgetall(`${service.stores.prefix}:job:${id}`);
  assert.equal([record.attempts, record.lost], ['1', '0']);
});

test('a Triton that crawls holds up its jobs alone: they can be cancelled, and go on when it is well', async () => {
  const caller = await service.caller(granted);
  const ids = [await begun(caller, '96x80'), await begun(caller, '96x72')];
  proxy.crawl(true);
  const [first = '', second = ''] = ids;
  const frames = async () => (await caller.job(second)).progress?.frames_done ?? 0;
  let before = -1;
  await until('no more frames come', async () => {
    const [now, last] = [await frames(), before];
    before = now;
    await sleep(300);
    return now === last;
  });
  assert.is((await caller.http.post(`/v1/jobs/${first}/cancel`)).status, 200);
  const canceled = await caller.until(first, ended);
  assert.equal([canceled.status, canceled.cost.charged], ['canceled', 0]);
  proxy.crawl(false);
  const jobs = await nothingLost(service, caller, { granted, ids });
  assert.equal(
    jobs.map(({ status }) => status),
    ['canceled', 'succeeded'],
  );
});

const full = 'a disk that fills up in the middle of a result fails the job, which costs nothing';
if (disk === null) skip(test, full, 'the right to mount a small disk');
else {
  test(full, async () => {
    const caller = await service.caller(granted);
    const id = await begun(caller, '112x80');
    const filler = join(disk, 'filler');
    try {
      for (;;) writeFileSync(filler, Buffer.alloc(4096), { flag: 'a' });
    } catch {
      // Not one block is left.
    }
    const [job] = await nothingLost(service, caller, { granted, ids: [id] });
    assert.equal([job?.status, job?.error?.code], ['failed', 'storage_failed']);
    rmSync(filler);
    const [, again] = await nothingLost(service, caller, {
      granted,
      ids: [id, await begun(caller, '96x88')],
    });
    assert.is(again?.status, 'succeeded', JSON.stringify(again?.error));
  });
}

test.after(async () => {
  await service.close();
  await proxy.close();
});

test.run();
