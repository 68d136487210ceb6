/** Jobs whose model is replaced while they wait: a real `photo` under two names with two releases. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Job } from '../../src/contract/job.ts';
import { root } from '../../src/stack/home.mjs';
import { openControl } from '../../src/triton/protocol/control.ts';
import { tempDir } from '../real/run.ts';
import { ended, realService } from '../real/service.ts';
import { ownTriton, repositories } from '../real/triton.ts';
import { until } from '../real/until.ts';

const folder = tempDir('releases');
const copy = join(folder, 'photo__r2');
cpSync(join(root, 'models/photo'), copy, { recursive: true });
const change = (file: string, from: string, to: string) => {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  assert.ok(text.includes(from), `${file} has ${from}`);
  writeFileSync(path, text.replace(from, to));
};
change('config.pbtxt', '"photo-r1"', '"photo-r2"');
change('1/model.py', 'Path(__file__).parents[3] / "inference"', `"${join(root, 'inference')}"`);

const test = suite('jobs and releases');
const triton = await ownTriton(['photo'], [...repositories, folder]);
const service = await realService({ MODEL_WAIT_SECONDS: '60' }, Promise.resolve(triton));
const control = openControl(triton);
const caller = await service.caller(100);

let pictures = 0;
const request = async () => {
  pictures += 1;
  const path = join(folder, `${pictures}.png`);
  const background = { r: pictures, g: 2, b: 3 };
  await sharp({ create: { width: 8, height: 8, channels: 3, background } }).toFile(path);
  return path;
};
const queued = async (path: string): Promise<Job> => {
  const fields = { model: 'photo', scale: 2 };
  const { status, data } = await caller.upscale(path, fields, { prefer: 'respond-async' });
  assert.is(status, 202, JSON.stringify(data));
  return Job.parse(data);
};
const done = async ({ id }: Job): Promise<Job> => {
  const job = await caller.until(id, ended, 100_000);
  assert.is(job.status, 'succeeded', JSON.stringify(job.error));
  return job;
};
const currentIs = (release: string) =>
  until(`new jobs get ${release}`, async () => {
    const { data } = await caller.http.get('/v1/models');
    return data.data.some(({ version }: { version: string }) => version === release);
  });
const warningsOf = ({ result }: Job) => result?.warnings.map(({ code }) => code);

test('a job that waits while a new release is loaded runs on the one that it recorded', async () => {
  await service.worker.stop();
  const before = await queued(await request());
  await control.load('photo__r2', 120_000);
  await currentIs('photo-r2');
  const after = await queued(await request());
  await service.worker.start();
  const [first, second] = [await done(before), await done(after)];
  assert.equal([first.model_version, first.result?.model_version], ['photo-r1', 'photo-r1']);
  assert.equal([second.model_version, second.result?.model_version], ['photo-r2', 'photo-r2']);
  assert.equal([warningsOf(first), warningsOf(second)], [[], []]);
});

test('a job whose release is gone runs on the current one at the same price, and says so', async () => {
  await service.worker.stop();
  const path = await request();
  const waiting = await queued(path);
  assert.is(waiting.model_version, 'photo-r2');
  await control.unload('photo__r2');
  await currentIs('photo-r1');
  await service.worker.start();
  const job = await done(waiting);
  assert.equal([job.model_version, job.result?.model_version], ['photo-r2', 'photo-r1']);
  assert.equal(warningsOf(job), ['release_replaced']);
  assert.is(job.cost.charged, waiting.cost.estimated);

  // What was made is the result of the release that made it, and of no other.
  const again = await queued(path);
  assert.equal([again.result?.cached, again.model_version], [true, 'photo-r1']);
  await control.load('photo__r2', 120_000);
  await currentIs('photo-r2');
  const { result } = await done(await queued(path));
  assert.equal([result?.cached, result?.model_version], [false, 'photo-r2']);
});

test('a job waits for a model of which nothing is loaded, and then goes on', async () => {
  await service.worker.stop();
  const waiting = await queued(await request());
  await control.unload('photo');
  await control.unload('photo__r2');
  await service.worker.start();
  const awaySince = () =>
    service.stores.redis.hget(`${service.stores.prefix}:job:${waiting.id}`, 'away_since');
  await until('the job has found its model away', async () => Boolean(await awaySince()), 20_000);
  await control.load('photo__r2', 120_000);
  assert.is((await done(waiting)).result?.model_version, 'photo-r2');
});

test.after(service.close);

test.run();
