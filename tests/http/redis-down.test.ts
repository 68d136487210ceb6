import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ownRedis } from '../real/redis.ts';
import { realApi } from './api.ts';
import { refused } from './told.ts';

const test = suite('the API without Redis');
const redis = await ownRedis();
const api = await realApi({}, Promise.resolve(redis));
const { http } = await api.caller();

const secondsOf = async <T>(work: Promise<T>) => {
  const started = performance.now();
  return { answer: await work, seconds: (performance.now() - started) / 1000 };
};

test('requests while Redis is down do not hang but fail within seconds, and say so', async () => {
  await redis.kill();
  const { answer, seconds } = await secondsOf(http.get('/v1/jobs'));
  assert.match(refused(answer, 503, 'database_unavailable').detail, /Redis. does not answer/);
  assert.is(answer.headers['retry-after'], '5');
  assert.ok(seconds < 8, `${seconds} s`);
  const later = await secondsOf(http.post('/v1/upscale', { model: 'photo' }));
  refused(later.answer, 503, 'database_unavailable');
  assert.ok(later.seconds < 8, `${later.seconds} s`);
});

test('while Redis is down /metrics tells all but the jobs, and /readyz what is missing', async () => {
  const { data, status } = await api.client().get('/metrics');
  assert.is(status, 200);
  assert.match(data, /process_cpu_seconds_total/);
  assert.match(data, /^enhance_redis_up 0$/m);
  assert.not.match(data, /^enhance_(jobs|credits_held|credits_total)[{ ]/m);
  const ready = await api.client().get('/readyz');
  assert.is(ready.status, 503);
  assert.ok(ready.data.missing.includes('Redis does not answer'));
});

test('when Redis is back, so is the API', async () => {
  await redis.start();
  for (const deadline = Date.now() + 60_000; ; await sleep(100)) {
    const { status, headers } = await http.get('/v1/jobs');
    if (status === 200) {
      // Rates are not on the disk: this is the first call of its key.
      const quota = Number(/q=(\d+)/.exec(headers['ratelimit-policy'])?.[1]);
      assert.match(headers.ratelimit, `;r=${quota - 1};`);
      break;
    }
    assert.ok(Date.now() < deadline, `it still answers ${status}`);
  }
});

test('a Redis that hangs is given up like one that is gone', async () => {
  redis.pause();
  try {
    const { answer, seconds } = await secondsOf(http.get('/v1/jobs'));
    refused(answer, 503, 'database_unavailable');
    assert.ok(seconds < 8, `${seconds} s`);
  } finally {
    redis.resume();
  }
});

test.after(api.close);

test.run();
