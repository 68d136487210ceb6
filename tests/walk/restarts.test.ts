import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { h264, makeClip, pattern } from '../real/clip.ts';
import { tempDir } from '../real/run.ts';
import { ended, realService } from '../real/service.ts';
import { ownTriton } from '../real/triton.ts';

const test = suite('killed parts');
const triton = await ownTriton(['photo']);
const service = await realService({}, Promise.resolve(triton));
const caller = await service.caller(1000);
const dir = tempDir('restarts');

/** A video job that has begun; each size is other content, so none is cached. */
const begun = async (size: string) => {
  const path = await makeClip(join(dir, `${size}.mp4`), pattern(2, 25, size), h264);
  const fields = { model: 'photo', scale: 2 };
  const { status, data } = await caller.upscale(path, fields, { prefer: 'respond-async' });
  assert.is(status, 202, JSON.stringify(data));
  return caller.until(data.id, ({ progress }) => (progress?.frames_done ?? 0) >= 2);
};

const paidOnce = async (id: string, before: number) => {
  const job = await caller.until(id, ended, 100_000);
  assert.is(job.status, 'succeeded', JSON.stringify(job.error));
  assert.is(job.result?.frames, 50);
  assert.ok(job.cost.charged > 0);
  assert.is((await caller.balance()).available, before - job.cost.charged);
  const { clean, differences } = await service.audit(caller.account);
  assert.ok(clean, differences.join('\n'));
};

test('a job whose Triton is killed goes on when it is back, and is paid once', async () => {
  const before = (await caller.balance()).available;
  const { id } = await begun('160x120');
  await triton.kill();
  await triton.start();
  await paidOnce(id, before);
});

test('a job whose worker is killed is done by the next one, and is paid once', async () => {
  const before = (await caller.balance()).available;
  const { id } = await begun('160x112');
  await service.worker.kill();
  await service.worker.start();
  await paidOnce(id, before);
});

test('a worker that is asked to stop gives its job back, which is paid once', async () => {
  const before = (await caller.balance()).available;
  const { id } = await begun('152x120');
  await service.worker.stop();
  await service.worker.start();
  await paidOnce(id, before);
});

test.after(service.close);

test.run();
