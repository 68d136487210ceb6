/** SIGTERM, as every deploy sends it: to the process alone, or to all that it has started. The model takes a fixed time, so that a job is under way on any machine. */
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { h264, makeClip, pattern } from '../real/clip.ts';
import { fixedDelayTriton } from '../real/fixed-delay.ts';
import { tempDir } from '../real/run.ts';
import { ended, realService } from '../real/service.ts';
import { until } from '../real/until.ts';

const test = suite('draining');
const dir = tempDir('drain');
const service = await realService({ API_DRAIN_SECONDS: '30' }, fixedDelayTriton(100, 2));
const photo = { model: 'photo', scale: 2, effort: 'best' };
const caller = await service.caller(1000);

/** Of a video whose frames take the model a twentieth of a second each: far longer than WORKER_DRAIN_SECONDS, 3 in the tests. */
const LONGER_THAN_DRAIN = 6;
const begun = async (size: string) => {
  const path = await makeClip(join(dir, `${size}.mp4`), pattern(LONGER_THAN_DRAIN, 25, size), h264);
  const { status, data } = await caller.upscale(path, photo, { prefer: 'respond-async' });
  assert.is(status, 202, JSON.stringify(data));
  await running(data.id);
  return data.id;
};
const running = (id: string) =>
  caller.until(id, ({ progress }) => (progress?.frames_done ?? 0) >= 2);
const record = (id: string) => service.stores.redis.hgetall(`${service.stores.prefix}:job:${id}`);

/** The ffmpegs that a process has started. */
const ffmpegs = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '))
    .filter((child) => child && readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('ffmpeg'))
    .map(Number);

/** Sends the worker SIGTERM, and again while it drains; what it has logged since when it has ended. */
const drained = async (also: readonly number[] = []): Promise<string> => {
  const before = service.log('worker').length;
  const { pid } = service.worker;
  for (const one of [pid(), ...also]) process.kill(one, 'SIGTERM');
  await sleep(100);
  process.kill(pid(), 'SIGTERM');
  await service.worker.ended();
  return service.log('worker').slice(before);
};

test('a worker that is told to stop while an ffmpeg runs drains: its video job loses no attempt, goes on elsewhere and is paid once', async () => {
  const before = (await caller.balance()).available;
  const id = await begun('160x120');
  assert.ok(ffmpegs(service.worker.pid()).length > 0, 'an ffmpeg runs');
  const log = await drained();
  assert.match(log, '"msg":"stopped"');
  const left = await record(id);
  assert.equal([left.status, left.attempts, left.lost], ['queued', '0', '0']);
  await service.worker.start();
  const job = await caller.until(id, ended, 200_000);
  assert.is(job.status, 'succeeded', JSON.stringify(job.error));
  const { attempts, lost } = await record(id);
  assert.equal([attempts, lost], ['1', '0']);
  assert.is((await caller.balance()).available, before - job.cost.charged);
  const { clean, differences } = await service.audit(caller.account);
  assert.ok(clean, differences.join('\n'));
});

test('a signal that reaches the ffmpegs too costs no attempt either', async () => {
  const id = await begun('160x112');
  const log = await drained(ffmpegs(service.worker.pid()));
  assert.match(log, '"msg":"stopped"');
  const { status, attempts, lost } = await record(id);
  assert.equal([status, attempts, lost], ['queued', '0', '0']);
  await caller.http.delete(`/v1/jobs/${id}`);
  await service.worker.start();
});

test('an API that is told to stop, twice, finishes what is under way and refuses what is new', async () => {
  const path = await makeClip(join(dir, 'wait.mp4'), pattern(4, 25, '160x104'), h264);
  const waiting = caller.upscale(path, photo);
  const running = async () => (await caller.http.get('/v1/jobs?status=processing')).data.data;
  await until('its job runs', async () => (await running()).length > 0, 60_000);
  const [{ id }] = await running();
  const stream = caller.http.get(`/v1/jobs/${id}/events`, { responseType: 'text' });
  const upload = await openUpload();
  for (const _ of [1, 2]) process.kill(service.api.pid, 'SIGTERM');

  const { status, data } = await waiting;
  assert.equal([status, data.id], [202, id], JSON.stringify(data));
  const ready = await caller.http.get('/readyz');
  assert.is(ready.status, 503);
  assert.ok(ready.data.missing.includes('the server is shutting down'));
  const refused = await caller.upscale(path, photo);
  assert.equal([refused.status, refused.data.code], [503, 'draining']);
  assert.ok(Number(refused.headers['retry-after']) > 0);
  // The stream has ended whole, and not with its last event: that of an even id is resumed from.
  const events = String((await stream).data).match(/^id: \d+$/gm) ?? [];
  assert.match(events.at(-1) ?? '', /[02468]$/);
  assert.match(await upload.finish(), /^HTTP\/1\.1 201 /);

  assert.is(await service.api.exited, 'exit code 0');
  assert.match(service.log('api'), '"msg":"stopped"');
  await service.worker.stop();
});

/** An upload of which half has come. */
const openUpload = async () => {
  const boundary = 'b';
  const part = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n`;
  const image = { width: 8, height: 8, channels: 3, background: '#48c' } as const;
  const png = await sharp({ create: image }).png().toBuffer();
  const body = Buffer.concat([Buffer.from(part), png, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  const head = [
    ...['POST /v1/uploads HTTP/1.1', 'Host: x', `Authorization: Bearer ${caller.key}`],
    ...[`Content-Type: multipart/form-data; boundary=${boundary}`],
    ...[`Content-Length: ${body.length}`, '', ''],
  ];
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write(head.join('\r\n'));
  const half = body.length >> 1;
  socket.write(body.subarray(0, half));
  const incoming = join(service.config.files.dir, 'incoming');
  await until('its file is begun', () => readdirSync(incoming).length > 0);
  return {
    finish: async (): Promise<string> => {
      socket.write(body.subarray(half));
      return text(socket);
    },
  };
};

test.after(service.close);

test.run();
