/**
 * A call whose result is in the cache, by URL of an upload, with 50 callers at once: first each as fast as it
 * can, then each once a second. Goals: 60 ms p95 and 1000 calls a second; 20 ms p95.
 * usage: node --import tsx bench/cache-hit.ts [callers] [seconds]
 * cpu_ms: processor time a call takes in the API, in Redis, and in this process, which makes the calls.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeClip } from '../tests/real/clip.ts';
import { tempDir } from '../tests/real/run.ts';
import { realService } from '../tests/real/service.ts';
import { percentile, tell } from './bare.ts';
import { processOf } from './processes.ts';

const [callers = 50, seconds = 8] = process.argv.slice(2).map(Number);
const service = await realService({ RATE_CREATE_PER_MINUTE: '10000000' });
const caller = await service.caller(1000);
const source = ['-f', 'lavfi', '-i', 'mandelbrot=size=256x256', '-frames:v', '1'];
const path = await makeClip(join(tempDir('bench'), 'a.png'), source);
const form = new FormData();
form.append('file', new Blob([readFileSync(path)]), 'a.png');
const { data: upload } = await caller.http.post('/v1/uploads', form);
const body = JSON.stringify({ model: 'photo', scale: 2, image_url: upload.url });

// Node's own client: axios takes longer for a call than the API does.
const agent = new Agent({ keepAlive: true, maxSockets: callers });
const headers = {
  authorization: `Bearer ${caller.key}`,
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
};
const call = () =>
  new Promise<string>((resolve, reject) => {
    const made = request(`${service.url}/v1/upscale`, { method: 'POST', headers, agent }, (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('data', (part) => {
        text += part;
      });
      res.on('end', () => resolve(text));
    });
    made.once('error', reject);
    made.end(body);
  });
await call();

const redisPid = Number(/process_id:(\d+)/.exec(await service.stores.redis.info('server'))?.[1]);
/** Of the API, Redis and this process, in ms. */
const spent = () => [service.api.pid, redisPid, process.pid].map((pid) => processOf(pid).ms);

const run = async (pauseMs: number) => {
  const times: number[] = [];
  const before = spent();
  const until = performance.now() + seconds * 1000;
  const one = async (index: number) => {
    await sleep((index / callers) * pauseMs);
    while (performance.now() < until) {
      const began = performance.now();
      const answer = await call();
      if (!answer.includes('"cached":true')) throw new Error(answer);
      times.push(performance.now() - began);
      if (pauseMs > 0) await sleep(Math.max(0, pauseMs - (performance.now() - began)));
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, index) => one(index)));
  const [api, redis, client] = spent().map((ms, at) =>
    Number(((ms - (before[at] ?? 0)) / times.length).toFixed(2)),
  );
  tell({
    bench: 'cache-hit',
    callers,
    pause_ms: pauseMs,
    calls_per_second: Math.round(times.length / seconds),
    p50_ms: Math.round(percentile(times, 0.5)),
    p95_ms: Math.round(percentile(times, 0.95)),
    cpu_ms: { api, redis, client },
  });
};
await run(0);
await run(1000);
agent.destroy();
await service.close();
