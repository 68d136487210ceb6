/** Jobs whose decoder is killed, as by the system when memory is short: done again, whole, and paid once. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../src/contract/job.ts';
import { h264, makeClip, pattern, timesOf } from '../real/clip.ts';
import { killDecoders } from '../real/decoders.ts';
import { tempDir } from '../real/run.ts';
import { ended, realService } from '../real/service.ts';
import { sounds } from '../real/sounds.ts';
import { talkingHead } from '../real/talking.ts';
import { lipsyncNames, realTriton } from '../real/triton.ts';

const test = suite('killed decoders');
const service = await realService({}, realTriton(['photo', ...lipsyncNames('fast')]));
const caller = await service.caller(1000);
const dir = tempDir('decoders');
const at = (name: string) => join(dir, name);

const paidOnce = async (id: string, frames: number, before: number) => {
  const job = await caller.until(id, ended, 150_000);
  assert.is(job.status, 'succeeded', JSON.stringify(job.error));
  assert.is(job.result?.frames, frames);
  writeFileSync(at(`${id}.mp4`), await caller.download(job.result?.output_url ?? ''));
  assert.is((await timesOf(at(`${id}.mp4`))).length, frames);
  assert.ok(job.cost.charged > 0);
  assert.is((await caller.balance()).available, before - job.cost.charged);
  const { clean, differences } = await service.audit(caller.account);
  assert.ok(clean, differences.join('\n'));
};

const at60Percent = (stage: string) => (job: Job) =>
  ended(job) ||
  (job.progress?.stage === stage &&
    job.progress.frames_done > 0.6 * (job.progress.frames_total ?? Number.POSITIVE_INFINITY));

test('a video whose decoder is killed after half of its frames is done again, whole, and paid once', async () => {
  const before = (await caller.balance()).available;
  const path = await makeClip(at('a.mp4'), pattern(4, 25, '160x90'), h264);
  const fields = { model: 'photo', scale: 2 };
  const { status, data } = await caller.upscale(path, fields, { prefer: 'respond-async' });
  assert.is(status, 202, JSON.stringify(data));
  const job = await caller.until(data.id, at60Percent('inference'));
  assert.is(job.status, 'processing');
  await killDecoders(service.worker.pid());
  await paidOnce(data.id, 100, before);
});

test('a lip sync whose decoder is killed in either pass is done again, whole, and paid once', async () => {
  const before = (await caller.balance()).available;
  const clip = await talkingHead(at('b.mp4'), 6, '320x320');
  const sound = await sounds.babble(at('b.wav'), 6);
  const { status, data } = await caller.lipsync(clip, sound, {}, { prefer: 'respond-async' });
  assert.is(status, 202, JSON.stringify(data));
  for (const stage of ['decoding', 'inference']) {
    const job = await caller.until(data.id, at60Percent(stage), 100_000);
    assert.is(job.status, 'processing', stage);
    await killDecoders(service.worker.pid());
  }
  await paidOnce(data.id, 150, before);
});

test.after(service.close);
test.run();
