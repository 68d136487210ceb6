/** One long video and several real workers, which are killed: every frame once, paid once. The model takes a fixed time. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../src/contract/job.ts';
import { type Child, startChild } from '../../src/stack/child.ts';
import { root } from '../../src/stack/home.mjs';
import { makeClip, packetsOf, timesOf, tone } from '../real/clip.ts';
import { ffmpegPath } from '../real/ffmpeg.ts';
import { fixedDelayTriton } from '../real/fixed-delay.ts';
import { numberedClip, numberOf } from '../real/frame-numbers.ts';
import { programOf } from '../real/program.ts';
import { tempDir } from '../real/run.ts';
import { type Caller, ended, realService } from '../real/service.ts';
import { until } from '../real/until.ts';

const test = suite('one video and several workers');
const dir = tempDir('shared-video');
const at = (name: string) => join(dir, name);
const [FRAMES, CHUNKS] = [75, 6];

const triton = await fixedDelayTriton(60, 2);
const settings = { UPSCALE_CHUNK_SECONDS: '0.5', WORKER_CONCURRENCY: '1' };
const service = await realService(settings, Promise.resolve(triton));
// Its leases are too long for these tests.
await service.worker.stop();
const { prefix, redis } = service.stores;
const attempts = join(service.config.files.dir, 'attempts');

type Line = { readonly msg: string; readonly job_id?: string; readonly chunk?: number };
type Worker = Child & { lines(): Line[] };
const workers: Worker[] = [];
let started = 0;

const addWorker = async (): Promise<void> => {
  started += 1;
  const logFile = at(`${started}.log`);
  const child = await startChild({
    name: 'worker',
    command: process.execPath,
    cwd: root,
    env: service.env,
    logFile,
    args: programOf('walk/quick-worker.ts'),
  });
  const parse = (line: string): Line => JSON.parse(line);
  const lines = () => readFileSync(logFile, 'utf8').split('\n').filter(Boolean).map(parse);
  const worker = { ...child, lines };
  workers.push(worker);
  await until('the worker is ready', () => said(worker, 'ready'));
};
const said = ({ lines }: Worker, text: string, id?: string): boolean =>
  lines().some(({ msg, job_id }) => msg === text && (id === undefined || job_id === id));

const HELP = 'chunk of another worker starts';
const OWN = 'chunk done';
const HELPED = 'chunk of another worker done';
/** The chunks that were done for a job, by which message. */
const done = (id: string, ...messages: readonly string[]): number[] =>
  workers
    .flatMap(({ lines }) => lines())
    .filter(({ msg, job_id }) => job_id === id && messages.includes(msg))
    .map(({ chunk = -1 }) => chunk)
    .sort((a, b) => a - b);

/** The worker that has said this of a job. */
const who = async (text: string, id: string): Promise<Worker> => {
  await until(`"${text}"`, () => workers.some((worker) => said(worker, text, id)));
  const found = workers.findLast((worker) => said(worker, text, id));
  if (!found) throw new Error(`nobody said "${text}"`);
  return found;
};

const kill = async (worker: Worker): Promise<void> => {
  process.kill(worker.pid, 'SIGKILL');
  await worker.exited;
  workers.splice(workers.indexOf(worker), 1);
};

type Film = { readonly path: string; readonly frames: number };
/** A video with sound whose pictures show their numbers. */
const film = async (name: string, frames: number, coding: readonly string[]): Promise<Film> => {
  const silent = await numberedClip(at(`silent-${name}`), frames, ['-c:v', 'libx264', ...coding]);
  const source = ['-i', silent, ...tone(frames / 25)];
  const path = await makeClip(at(name), source, ['-c:v', 'copy', '-c:a', 'aac']);
  return { path, frames };
};
const clip = await film('clip.mp4', FRAMES, ['-g', '10', '-bf', '2']);

const begin = async ({ path } = clip): Promise<{ caller: Caller; id: string }> => {
  // Another account each time, so that nothing is cached.
  const caller = await service.caller(100);
  const fields = { model: 'photo', scale: 2, effort: 'best' };
  const { status, data } = await caller.upscale(path, fields, { prefer: 'respond-async' });
  assert.is(status, 202, JSON.stringify(data));
  return { caller, id: data.id };
};

/** The numbers that the pictures of a result show. */
const numbersIn = async (path: string): Promise<number[]> => {
  const [width, height] = [144, 32];
  const shrunk = ['-vf', `scale=${width}:${height}:flags=area,format=gray`, '-f', 'rawvideo', '-'];
  const { stdout } = await execa(ffmpegPath, ['-v', 'error', '-i', path, ...shrunk], {
    encoding: 'buffer',
  });
  const bytes = Buffer.from(stdout);
  return Array.from({ length: bytes.length / (width * height) }, (_, i) => {
    const pixels = bytes.subarray(i * width * height, (i + 1) * width * height);
    return numberOf({ width, height, pixels });
  });
};

/** Every frame once and at its time, the sound as it was, paid once, and nothing left behind. */
const isWhole = async (caller: Caller, job: Job, of = clip): Promise<void> => {
  assert.is(job.status, 'succeeded', JSON.stringify(job.error));
  const path = at(`${job.id}.mp4`);
  writeFileSync(path, await caller.download(job.result?.output_url ?? ''));
  assert.equal(
    await numbersIn(path),
    Array.from({ length: of.frames }, (_, i) => i),
  );
  assert.equal(
    (await timesOf(path)).map((time) => time.toFixed(4)),
    (await timesOf(of.path)).map((time) => time.toFixed(4)),
  );
  assert.is(await packetsOf(path, 'a:0'), await packetsOf(of.path, 'a:0'));
  assert.is(job.result?.frames, of.frames);
  assert.is(job.progress?.frames_done, of.frames);
  assert.is((await caller.balance()).available, 100 - job.cost.charged);
  assert.ok(job.cost.charged > 0);
  await isClean(caller, job.id);
};

const isClean = async (caller: Caller, id: string): Promise<void> => {
  const { clean, differences } = await service.audit(caller.account);
  assert.ok(clean, differences.join('\n'));
  await until('its files are gone', () => readdirSync(attempts).length === 0);
  assert.equal(await redis.keys(`${prefix}:chunks:*`), []);
  assert.equal(await redis.zrange(`${prefix}:shared`, 0, -1), [], id);
};

await Promise.all([addWorker(), addWorker(), addWorker()]);

test('three workers do one video, each of its chunks once', async () => {
  const { caller, id } = await begin();
  await isWhole(caller, await caller.until(id, ended));
  assert.equal(
    done(id, OWN, HELPED),
    Array.from({ length: CHUNKS }, (_, i) => i),
  );
  const helpers = workers.filter((worker) => said(worker, HELPED, id));
  assert.is(helpers.length, 2);
  assert.ok(done(id, OWN).length >= 1);
});

test('a job that comes meanwhile is done before the video is, though every worker is busy with that', async () => {
  // Nine seconds of the model's time, of which the picture takes 0.06.
  const { caller, id } = await begin(await film('long.mp4', 300, ['-g', '10']));
  const helps = (worker: Worker) => said(worker, HELP, id);
  await until('two help', () => workers.filter(helps).length === 2);
  const picture = await makeClip(at('one.png'), ['-i', clip.path], ['-frames:v', '1']);
  const answer = await caller.upscale(picture, { model: 'photo', scale: 2 });
  assert.is(answer.status, 200, JSON.stringify(answer.data));
  assert.is((await caller.job(id)).status, 'processing');
  await caller.http.post(`/v1/jobs/${id}/cancel`);
  await caller.until(id, ended);
});

test('a helper that is killed costs its chunk only, which is done again', async () => {
  const { caller, id } = await begin();
  await kill(await who(HELP, id));
  const job = await caller.until(id, ended);
  await isWhole(caller, job);
  assert.is(new Set(done(id, OWN, HELPED)).size, done(id, OWN, HELPED).length);
  assert.is(await redis.hget(`${prefix}:job:${id}`, 'attempts'), '1');
  await addWorker();
});

test('an owner that is killed is followed by one that joins what all have done', async () => {
  const { caller, id } = await begin();
  await until('two chunks are done', () => done(id, OWN, HELPED).length >= 2);
  await kill(await who('attempt starts', id));
  const job = await caller.until(id, ended);
  await isWhole(caller, job);
  assert.is(await redis.hget(`${prefix}:job:${id}`, 'attempts'), '2');
  // What the helpers had done, under either owner, is not done again.
  assert.is(new Set(done(id, OWN, HELPED)).size, done(id, OWN, HELPED).length);
  await addWorker();
});

test('a video whose chunks do not fit together is done in one go, and is as whole', async () => {
  // Its pictures are refreshed column by column: those right after a point of entry are not what they are in one go.
  const coding = ['-g', '300', '-x264-params', 'intra-refresh=1:keyint=10'];
  const refreshed = await film('refreshed.mp4', 30, coding);
  const { caller, id } = await begin(refreshed);
  await isWhole(caller, await caller.until(id, ended), refreshed);
  assert.is(new Set(done(id, OWN, HELPED)).size, 2);
});

test('a cancel stops all who work on it, and it is free', async () => {
  const { caller, id } = await begin();
  await who(HELP, id);
  await caller.http.post(`/v1/jobs/${id}/cancel`);
  const job = await caller.until(id, ended);
  assert.equal([job.status, job.cost.charged], ['canceled', 0]);
  assert.is((await caller.balance()).available, 100);
  await isClean(caller, id);
  const chunks = done(id, OWN, HELPED);
  await sleep(1_000);
  await isClean(caller, id);
  assert.equal(done(id, OWN, HELPED), chunks);
});

test.after(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await service.close();
});
test.run();
