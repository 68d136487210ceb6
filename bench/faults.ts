/**
 * The table of docs/faults.md: each fault in the middle of a video job, what a caller who asks every 100 ms is told meanwhile,
 * how long the service and the job need, and what was lost, by the checks of tests/faults.
 * usage: npx tsx bench/faults.ts [words of a fault's name …]
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nothingLost } from '../tests/faults/aftermath.ts';
import { h264, makeClip, pattern } from '../tests/real/clip.ts';
import { killDecoders, killEncoders } from '../tests/real/decoders.ts';
import { ownRedis } from '../tests/real/redis.ts';
import { tempDir } from '../tests/real/run.ts';
import { type Caller, realService } from '../tests/real/service.ts';
import { ownTriton } from '../tests/real/triton.ts';

const granted = 1000;
const [triton, redis] = await Promise.all([ownTriton(['photo']), ownRedis()]);
const service = await realService({}, Promise.resolve(triton), Promise.resolve(redis));
const dir = tempDir('faults');
const { worker } = service;

const faults: Readonly<Record<string, () => Promise<unknown>>> = {
  'worker: kill -9, started again': async () => {
    await worker.kill();
    await worker.start();
  },
  'worker: SIGTERM after 3 s of drain, started again': async () => {
    await worker.stop();
    await worker.start();
  },
  'Triton: kill -9, started again': async () => {
    await triton.kill();
    await triton.start();
  },
  'decoder: kill -9': () => killDecoders(worker.pid()),
  'encoder: kill -9': () => killEncoders(worker.pid()),
  'Redis: kill -9, started again': async () => {
    await redis.kill();
    await redis.start();
  },
  'Redis: stopped for 20 s': async () => {
    redis.pause();
    await sleep(20_000);
    redis.resume();
  },
  'Redis: no memory for 20 s': async () => {
    await service.stores.redis.config('SET', 'maxmemory', '1');
    await sleep(20_000);
    await service.stores.redis.config('SET', 'maxmemory', '0');
  },
  'API: kill -9, started again': async () => {
    await service.killApi();
    await service.startApi();
  },
  'power cut: kill -9 of all four, started again': async () => {
    await Promise.all([redis.kill(), triton.kill(), worker.kill(), service.killApi()]);
    await Promise.all([redis.start(), triton.start()]);
    await Promise.all([service.startApi(), worker.start()]);
  },
};

/** A video job that has begun. */
const begun = async (caller: Caller): Promise<string> => {
  const path = await makeClip(join(dir, `${randomUUID()}.mp4`), pattern(3, 25, '160x120'), h264);
  const fields = { model: 'photo', scale: 2, effort: 'best' };
  const { data } = await caller.upscale(path, fields, { prefer: 'respond-async' });
  await caller.until(data.id, ({ progress }) => (progress?.frames_done ?? 0) >= 2);
  return data.id;
};

/** Asks for the job until it is told to stop; answers what was told, each thing once. */
const asking = ({ http }: Caller, id: string) => {
  let asks = true;
  const told = new Set<string>();
  const loop = async () => {
    for (; asks; await sleep(100)) {
      const said = await http.get(`/v1/jobs/${id}`, { timeout: 10_000 }).then(
        ({ status, data }) => (status === 200 ? `200 ${data.status}` : `${status} ${data.code}`),
        ({ code }) => String(code),
      );
      told.add(said);
    }
  };
  const ended = loop();
  return async (): Promise<string> => {
    asks = false;
    await ended;
    return [...told].join(', ');
  };
};

const seconds = (from: number): string => ((Date.now() - from) / 1000).toFixed(1);

console.log('| fault | callers saw | repaired after | job done after | attempts, lost |');
console.log('|---|---|---|---|---|');
const words = process.argv.slice(2);
for (const [name, strike] of Object.entries(faults)) {
  if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
  const caller = await service.caller(granted);
  const id = await begun(caller);
  const stop = asking(caller, id);
  const from = Date.now();
  await strike();
  const repaired = seconds(from);
  const [job] = await nothingLost(service, caller, { granted, ids: [id] });
  const done = seconds(from);
  const told = await stop();
  const key = `${service.stores.prefix}:job:${id}`;
  const { attempts, lost } = await service.stores.redis.hgetall(key);
  if (job?.status !== 'succeeded') throw new Error(`${name}: ${JSON.stringify(job)}`);
  console.log(`| ${name} | ${told} | ${repaired} s | ${done} s | ${attempts}, ${lost} |`);
}
await service.close();
