/** A lip sync whose ffmpegs are killed, as by the system when memory is short: done again, whole, and paid once. */
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../src/contract/job.ts';
import { nothingLost } from '../faults/aftermath.ts';
import { timesOf } from '../real/clip.ts';
import { killDecoders } from '../real/decoders.ts';
import { ffmpegPath } from '../real/ffmpeg.ts';
import { tempDir } from '../real/run.ts';
import { type Caller, ended, realService } from '../real/service.ts';
import { sounds } from '../real/sounds.ts';
import { talkingHead } from '../real/talking.ts';
import { lipsyncNames, realTriton } from '../real/triton.ts';

const test = suite('killed decoders');
const dir = tempDir('decoders');
const at = (name: string) => join(dir, name);

/**
 * An ffmpeg that is killed when it joins chunks for the first time. It reads frames at 1.5 times the speed of the clip, so
 * that a pass lasts a second more when 60 % of it are told (progress is stored four times a second), on any machine.
 */
const joining = at('joining');
const dyingOnce = at('ffmpeg');
writeFileSync(
  dyingOnce,
  `#!/bin/sh
for word in "$@"; do
  if [ "$word" = concat ] && [ ! -e "${joining}" ]; then : > "${joining}"; kill -9 $$; fi
  if [ "$word" = rawvideo ]; then pace='-readrate 1.5'; fi
done
exec "${ffmpegPath}" $pace "$@"
`,
);
chmodSync(dyingOnce, 0o755);
const service = await realService(
  { FFMPEG: dyingOnce, JOB_ATTEMPTS: '4' },
  realTriton(lipsyncNames('fast')),
);
const granted = 1000;

const paidOnce = async (caller: Caller, id: string, frames: number) => {
  const [job] = await nothingLost(service, caller, { granted, ids: [id] });
  assert.is(job?.status, 'succeeded', JSON.stringify(job?.error));
  assert.is(job?.result?.frames, frames);
  writeFileSync(at(`${id}.mp4`), await caller.download(job?.result?.output_url ?? ''));
  assert.is((await timesOf(at(`${id}.mp4`))).length, frames);
};

const at60Percent = (stage: string) => (job: Job) =>
  ended(job) ||
  (job.progress?.stage === stage &&
    job.progress.frames_done > 0.6 * (job.progress.frames_total ?? Number.POSITIVE_INFINITY));

test('a lip sync whose decoder is killed in either pass, and whose join is killed, is done again, whole, and paid once', async () => {
  const caller = await service.caller(granted);
  const clip = await talkingHead(at('b.mp4'), 4, '320x320');
  const sound = await sounds.babble(at('b.wav'), 4);
  const { status, data } = await caller.lipsync(clip, sound, {}, { prefer: 'respond-async' });
  assert.is(status, 202, JSON.stringify(data));
  for (const stage of ['decoding', 'inference']) {
    const job = await caller.until(data.id, at60Percent(stage), 100_000);
    assert.is(job.status, 'processing', stage);
    await killDecoders(service.worker.pid());
  }
  await paidOnce(caller, data.id, 100);
  assert.ok(existsSync(joining), 'the join was killed too');
});

test.after(service.close);
test.run();
