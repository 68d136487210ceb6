/** Probes in processes of their own: the same findings and failures, and no process that is left behind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import { probeImage, probeVideo } from '../../src/media/probe/probe.ts';
import { probeAudio } from '../../src/media/probe/probe-audio.ts';
import { openProbers } from '../../src/media/probe/probers.ts';
import { compiled } from '../../src/stack/compiled.mjs';
import { h264, makeClip, pattern, tone } from '../real/clip.ts';
import { testConfig } from '../real/config.ts';
import { decodersOf } from '../real/decoders.ts';
import { programOf } from '../real/program.ts';
import { tempDir } from '../real/run.ts';
import { failing } from './failing.ts';

const test = suite('probers');
const { ffmpeg, limits } = testConfig();
await compiled('prober');
const probers = openProbers(ffmpeg);
const folder = tempDir('probers');
const soon = () => AbortSignal.timeout(60_000);

const image = join(folder, 'a.png');
await sharp({ create: { width: 32, height: 24, channels: 4, background: '#48c8' } }).toFile(image);
const clip = await makeClip(join(folder, 'a.mp4'), pattern(0.4, 25, '64x48'), h264);
const sound = await makeClip(join(folder, 'a.wav'), tone(0.5));
const text = join(folder, 'a.txt');
writeFileSync(text, 'no media at all');

/** A decoder that ends only when it is killed. */
const endless = join(folder, 'ffendless');
writeFileSync(endless, '#!/usr/bin/perl\nsleep 600;\n');
chmodSync(endless, 0o755);
const hanging = {
  path: clip,
  limits: limits.video,
  ffmpeg: { ...ffmpeg, path: endless, probePath: endless },
};

const until = async (holds: () => boolean): Promise<void> => {
  const signal = soon();
  while (!holds()) await sleep(10, undefined, { signal });
};
const told = (pid: string, file: string): string => readFileSync(`/proc/${pid}/${file}`, 'utf8');
/** The processes that probe for a process. */
const probersOf = (pid: number): number[] =>
  told(`${pid}/task/${pid}`, 'children')
    .split(' ')
    .filter((child) => child && told(child, 'cmdline').includes('dist/prober.js'))
    .map(Number);
const isUp = (pid: number | string): boolean => existsSync(`/proc/${pid}/exe`);

test('they find what a probe in this process finds', async () => {
  const signal = soon();
  const video = { path: clip, ffmpeg, limits: limits.video, signal };
  const heard = (name: string) => join(folder, name);
  const audio = { path: sound, ffmpeg, limits: limits.audio, signal };
  await probers.lend(async ({ probeImage: image_, probeVideo: video_, probeAudio: audio_ }) => {
    assert.equal(await image_(image), await probeImage(image));
    assert.equal(await video_(video), await probeVideo(video));
    assert.equal(
      await audio_({ ...audio, heardPath: heard('there') }),
      await probeAudio({ ...audio, heardPath: heard('here') }),
    );
  });
  assert.equal(readFileSync(heard('there')), readFileSync(heard('here')));
});

test('they fail with the same failure and its facts', async () => {
  const video = { path: image, ffmpeg, limits: limits.video, signal: soon() };
  const short = { ...video, path: clip, limits: { ...limits.video, frames: 3 } };
  await probers.lend(async (probes) => {
    await failing(probes.probeVideo(video), 'no_video_stream');
    const failure = await failing(probes.probeVideo(short), 'media_too_long');
    assert.is(failure.facts.limit_frames, 3);
    assert.match(
      (await failing(probes.probeImage(text), 'media_unreadable')).message,
      /decoded: ./,
    );
  });
});

test('an error that is no failure arrives with its message', async () => {
  const away = { ...ffmpeg, probePath: '/nowhere/ffprobe' };
  const video = { path: clip, ffmpeg: away, limits: limits.video, signal: soon() };
  const error = await rejection(probers.lend(({ probeVideo }) => probeVideo(video)));
  assert.not.instance(error, Failure);
  assert.match(String(error), /"\/nowhere\/ffprobe" could not be started/);
});

test('what is written is admitted here, and a refusal leaves no file', async () => {
  const heardPath = join(folder, 'refused');
  const refusal = new Failure('storage_full');
  const asked: number[] = [];
  const admit = async (bytes: number) => {
    asked.push(bytes);
    throw refusal;
  };
  const audio = { path: sound, ffmpeg, limits: limits.audio, signal: soon(), heardPath, admit };
  const error = await rejection(probers.lend(({ probeAudio }) => probeAudio(audio)));
  assert.is(error, refusal);
  assert.ok(asked.length === 1 && Number(asked[0]) > 0, `${asked}`);
  assert.not(existsSync(heardPath));
});

test('an abort ends the decoder, and the process goes on with the next file', async () => {
  const [before] = probersOf(process.pid);
  const stop = new AbortController();
  const probe = probers.lend(({ probeVideo }) => probeVideo({ ...hanging, signal: stop.signal }));
  const error = rejection(probe);
  await until(() => decodersOf(process.pid).length === 1);
  stop.abort(new Error('not wanted'));
  assert.is((await error).message, 'not wanted');
  assert.equal(decodersOf(process.pid), []);
  assert.is((await probers.lend(({ probeImage }) => probeImage(image))).kind, 'image');
  assert.equal(probersOf(process.pid), [before]);
});

test('a process that is killed fails its probe as our fault, and the next probe gets a new one', async () => {
  const probe = probers.lend(({ probeVideo }) => probeVideo({ ...hanging, signal: soon() }));
  const failed = failing(probe, 'decode_failed');
  await until(() => decodersOf(process.pid).length === 1);
  const [first = 0] = probersOf(process.pid);
  const left = decodersOf(first);
  process.kill(first, 'SIGKILL');
  assert.match((await failed).message, /the process that read it ended with SIGKILL/);
  assert.is((await probers.lend(({ probeImage }) => probeImage(image))).kind, 'image');
  assert.not.equal(probersOf(process.pid), [first]);
  for (const pid of left) process.kill(Number(pid), 'SIGKILL');
});

test('works at the same time have a process each, none of which has ended, and keep these', async () => {
  const [idle = 0] = probersOf(process.pid);
  process.kill(idle, 'SIGKILL');
  await until(() => !existsSync(`/proc/${idle}`));
  const twice = () =>
    Promise.all([1, 2].map(() => probers.lend(({ probeImage }) => probeImage(image))));
  await twice();
  const both = probersOf(process.pid);
  assert.is(both.length, 2);
  await twice();
  assert.equal(probersOf(process.pid), both);
});

test('a process that probes has no network, comes after the API, and knows nothing of its environment', () => {
  for (const pid of probersOf(process.pid)) {
    assert.is(getPriority(pid), 5);
    // 2: a filter of system calls, that of `no-network.ts`.
    assert.match(told(`${pid}`, 'status'), /^Seccomp:\t2$/m);
    const names = told(`${pid}`, 'environ')
      .split('\0')
      .map((entry) => entry.split('=')[0] ?? '');
    const known = /^(LC_ALL|MALLOC_ARENA_MAX|PATH|ENHANCE_RUN|NODE_CHANNEL_.*|)$/;
    assert.equal(
      names.filter((name) => !known.test(name)),
      [],
    );
  }
});

test('nothing is left of a service that is killed', async () => {
  const words = [...programOf('media/killed-with-prober.ts'), JSON.stringify(hanging)];
  const service = spawn(process.execPath, words, { stdio: 'inherit' });
  const { pid = 0 } = service;
  await until(() => decodersOf(pid).length === 1);
  const below = [...probersOf(pid), ...decodersOf(pid)];
  assert.is(below.length, 2);
  const exited = once(service, 'exit');
  service.kill('SIGKILL');
  await exited;
  await until(() => !below.some(isUp));
});

test('a signal to the whole group lets the probe under way come to its end', async () => {
  const [pid = 0] = probersOf(process.pid);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(pid, signal);
  assert.is((await probers.lend(({ probeImage }) => probeImage(image))).kind, 'image');
  assert.ok(isUp(pid));
});

test('closing ends the processes and their decoders', async () => {
  const probe = probers.lend(({ probeVideo }) => probeVideo({ ...hanging, signal: soon() }));
  const failed = failing(probe, 'decode_failed');
  await until(() => decodersOf(process.pid).length === 1);
  const decoders = decodersOf(process.pid);
  await probers.close();
  await failed;
  assert.equal(probersOf(process.pid), []);
  await until(() => !decoders.some(isUp));
});

const rejection = async (work: Promise<unknown>): Promise<Error> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('expected a rejection');
};

test.after(() => probers.close());
test.run();
