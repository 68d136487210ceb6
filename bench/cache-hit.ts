/**
 * A call whose result is in the cache, by URL of an upload, with 50 callers at once: first each as fast as it
 * can, then each once a second. Budget: 20 ms p95 at 50 concurrent callers.
 * usage: node --import tsx bench/cache-hit.ts [callers] [seconds]
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeClip } from '../tests/real/clip.ts';
import { tempDir } from '../tests/real/run.ts';
import { realService } from '../tests/real/service.ts';
import { percentile, tell } from './bare.ts';

const [callers = 50, seconds = 8] = process.argv.slice(2).map(Number);
const service = await realService({ RATE_CREATE_PER_MINUTE: '1000000' });
const caller = await service.caller(1000);
const source = ['-f', 'lavfi', '-i', 'mandelbrot=size=256x256', '-frames:v', '1'];
const path = await makeClip(join(tempDir('bench'), 'a.png'), source);
const form = new FormData();
form.append('file', new Blob([readFileSync(path)]), 'a.png');
const { data: upload } = await caller.http.post('/v1/uploads', form);
const body = { model: 'photo', scale: 2, image_url: upload.url };
await caller.http.post('/v1/upscale', body);

const run = async (pauseMs: number) => {
  const times: number[] = [];
  const until = performance.now() + seconds * 1000;
  const one = async (index: number) => {
    await sleep((index / callers) * pauseMs);
    while (performance.now() < until) {
      const began = performance.now();
      const { status, data } = await caller.http.post('/v1/upscale', body);
      if (status !== 200 || !data.cached) throw new Error(JSON.stringify(data));
      times.push(performance.now() - began);
      await sleep(Math.max(0, pauseMs - (performance.now() - began)));
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, index) => one(index)));
  tell({
    bench: 'cache-hit',
    callers,
    pause_ms: pauseMs,
    calls_per_second: Math.round(times.length / seconds),
    p50_ms: Math.round(percentile(times, 0.5)),
    p95_ms: Math.round(percentile(times, 0.95)),
    budget_p95_ms: 20,
  });
};
await run(0);
await run(1000);
await service.close();
