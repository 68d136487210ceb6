/**
 * Pictures through the whole service while its API, worker and Redis are killed (kill -9) again and again: every job's end
 * must reach the receiver. Also tells how long after its end each one arrives while nothing is killed.
 * usage: node --import tsx bench/webhooks-killed.ts [pictures] [kills]
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { ownRedis } from '../tests/real/redis.ts';
import { tempDir } from '../tests/real/run.ts';
import { realService } from '../tests/real/service.ts';
import { realTriton } from '../tests/real/triton.ts';
import { until } from '../tests/real/until.ts';
import { receiver } from '../tests/webhooks/rig.ts';

const [pictures = 60, kills = 4] = process.argv.slice(2).map(Number);
const target = await receiver();
const redis = await ownRedis();
const settings = { FETCH_ALLOW_HOSTS: `127.0.0.1:${target.port}`, WORKER_CONCURRENCY: '2' };
const service = await realService(settings, realTriton(), Promise.resolve(redis));
const caller = await service.caller(100_000);
const folder = tempDir('pictures');

const ask = async (blue: number): Promise<string> => {
  const path = join(folder, `${blue}.png`);
  const background = { r: 90, g: 120, b: blue };
  await sharp({ create: { width: 160, height: 120, channels: 3, background } }).toFile(path);
  const fields = { model: 'photo', scale: 2, webhook_url: target.origin };
  const { status, data } = await caller.upscale(path, fields, { prefer: 'respond-async' });
  if (status !== 202) throw new Error(`${status} ${JSON.stringify(data)}`);
  return data.id;
};
const told = (ids: readonly string[]): number =>
  ids.filter((id) => target.received.some(({ payload }) => payload.data.id === id)).length;

const quiet: string[] = [];
for (let at = 0; at < 10; at += 1) {
  quiet.push(await ask(at));
  await until('it is told', () => told(quiet) === quiet.length, 120_000);
}
const late = target.received
  .map(({ atMs, payload }) => atMs - Date.parse(payload.timestamp))
  .sort((one, other) => one - other);
console.log(`10 jobs one after the other: told after ${late.join(', ')} ms`);

const ids: string[] = [];
for (let kill = 0; kill < kills; kill += 1) {
  while (ids.length < ((kill + 1) * pictures) / kills) ids.push(await ask(100 + ids.length));
  await sleep(1000 * Math.random());
  await Promise.all([service.killApi(), service.worker.kill(), redis.kill()]);
  const before = told(ids);
  await redis.start();
  await Promise.all([service.startApi(), service.worker.start()]);
  console.log(`killed API, worker and Redis when ${before} of ${ids.length} were told`);
}
await until('all are told', () => told(ids) === ids.length, 300_000);
const messages = target.received.slice(quiet.length);
const ends = new Set(messages.map(({ headers }) => headers['webhook-id']));
const statuses = messages.map(({ payload }) => payload.type);
console.log(
  `${told(ids)} of ${ids.length} told, by ${messages.length} messages under ${ends.size} ids, of the types ${[...new Set(statuses)]}`,
);
await service.close();
await target.close();
