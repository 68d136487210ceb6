/**
 * Files on a real S3 server (OpenStack Swift, on this machine) instead of the disk: what that costs, and a lip sync whose
 * worker is killed and which another worker, on a disk of its own, finishes from the checkpoints in the bucket.
 * Fails unless that result has the packets of an undisturbed one and the bucket keeps nothing but results.
 * usage: node --import tsx bench/s3.ts [MiB of the file] [seconds of the clip]   (200 5)
 */
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFiles } from '../src/storage/files.ts';
import { packetsOf } from '../tests/real/clip.ts';
import { testConfig } from '../tests/real/config.ts';
import { tempDir } from '../tests/real/run.ts';
import { type Bucket, realS3 } from '../tests/real/s3.ts';
import { type Caller, ended, realService } from '../tests/real/service.ts';
import { sounds } from '../tests/real/sounds.ts';
import { talkingHead } from '../tests/real/talking.ts';
import { lipsyncNames, realTriton } from '../tests/real/triton.ts';
import { tell } from './bare.ts';

const [mebibytes, seconds] = [Number(process.argv[2] ?? 200), Number(process.argv[3] ?? 5)];
const dir = tempDir('bench');
const second = (since: number) => Math.round((performance.now() - since) / 10) / 100;

/** Keeps a result and reads it back, on the disk or in the bucket. */
const transfer = async (storage: string, settings: NodeJS.Dict<string>): Promise<void> => {
  const files = await openFiles(
    dir,
    testConfig({ ...settings, S3_TIMEOUT_SECONDS: '60', DATA_DIR: dir }).files,
  );
  writeFileSync(files.attemptPath('job_1.1.mp4'), randomBytes(mebibytes * 1024 * 1024));
  let from = performance.now();
  const { sha256 } = await files.keepResult('job_1.1.mp4');
  const keep_seconds = second(from);
  from = performance.now();
  const hash = createHash('sha256');
  const { read } = await files.openResult('job_1.1.mp4');
  for await (const chunk of await read()) hash.update(chunk);
  if (hash.digest('hex') !== sha256) throw new Error('what came back is not what was kept');
  const rss_mib = Math.round(process.memoryUsage().rss / 1024 / 1024);
  tell({ bench: 's3', storage, mebibytes, keep_seconds, read_seconds: second(from), rss_mib });
  await files.removeResult('job_1.1.mp4');
};

const packets = async (caller: Caller, id: string, name: string) => {
  const job = await caller.until(id, ended, 600_000);
  if (job.status !== 'succeeded') throw new Error(JSON.stringify(job.error));
  const path = join(dir, name);
  writeFileSync(path, await caller.download(job.result?.output_url ?? ''));
  return `${await packetsOf(path, 'v')} ${await packetsOf(path, 'a')}`;
};

const takenOver = async ({ variables, keys }: Bucket): Promise<void> => {
  const service = await realService(
    { ...variables, S3_TIMEOUT_SECONDS: '20', LIPSYNC_CHUNK_SECONDS: '1' },
    realTriton(lipsyncNames('fast')),
  );
  const clip = await talkingHead(join(dir, 'clip.mp4'), seconds, '320x320');
  const sound = await sounds.babble(join(dir, 'sound.wav'), seconds, { pitchHz: 120 });
  const start = async (caller: Caller): Promise<string> =>
    (await caller.lipsync(clip, sound, {}, { prefer: 'respond-async' })).data.id;
  const chunks = async (id: string) =>
    (await keys()).filter((key) => key.includes(id) && /chunk-\d+\.mp4$/.test(key)).length;

  const first = await service.caller(1000);
  let from = performance.now();
  const expected = await packets(first, await start(first), 'first.mp4');
  const undisturbed_seconds = second(from);
  const next = await service.caller(1000);
  from = performance.now();
  const id = await start(next);
  while ((await chunks(id)) < 2) await sleep(20);
  await service.worker.kill();
  const kept = await chunks(id);
  await service.worker.start({ DATA_DIR: tempDir('another-machine') });
  const same = (await packets(next, id, 'second.mp4')) === expected;
  const job = await next.job(id);
  while ((await keys()).some((key) => !key.includes('/results/'))) await sleep(100);
  const { clean } = await service.audit(next.account);
  tell({
    bench: 's3',
    what: 'lip sync, its worker killed',
    seconds,
    chunks_kept: kept,
    same,
    clean,
    charged: job.cost.charged,
    undisturbed_seconds,
    taken_over_seconds: second(from),
  });
  await service.close();
  if (!same || !clean) throw new Error('the job that was taken over differs');
};

const s3 = await realS3();
const bucket = await s3.bucket();
await transfer('disk', {});
await transfer('s3', bucket.variables);
await takenOver(bucket);
await s3.close();
