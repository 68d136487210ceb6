import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import { openCheckpoints } from '../../src/storage/checkpoints.ts';
import { openDiskStore } from '../../src/storage/disk-store.ts';
import { openFiles } from '../../src/storage/files.ts';
import { tempDir } from '../real/run.ts';
import { until } from '../real/until.ts';

const test = suite('files');
const fresh = async () => {
  const dir = tempDir('files');
  const files = await openFiles(dir);
  const arrive = (text: string): string => {
    const path = files.temporary();
    writeFileSync(path, text);
    return path;
  };
  return { dir, files, arrive };
};
const HELLO = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const hour = 3600_000;
const never = async () => false;
const age = (path: string, ms: number) => {
  const then = (Date.now() - ms) / 1000;
  utimesSync(path, then, then);
};

test('a result appears whole, with its size and hash', async () => {
  const { dir, files } = await fresh();
  writeFileSync(files.attemptPath('job_1.1.png'), 'hello');
  assert.equal(await files.keepResult('job_1.1.png'), { bytes: 5, sha256: HELLO });
  assert.equal(readdirSync(join(dir, 'attempts')), []);
  const result = await files.openResult('job_1.1.png');
  assert.is(result.bytes, 5);
  assert.is(String(await buffer(await result.read())), 'hello');
});

test('a range of a result is read with both ends', async () => {
  const { files } = await fresh();
  writeFileSync(files.attemptPath('job_1.1.png'), 'hello');
  await files.keepResult('job_1.1.png');
  const { read } = await files.openResult('job_1.1.png');
  assert.is(String(await buffer(await read({ start: 1, end: 3 }))), 'ell');
  assert.is(String(await buffer(await read({ start: 4, end: 4 }))), 'o');
});

test('a result that is gone has expired', async () => {
  const { files } = await fresh();
  const error = await files.openResult('job_1.1.png').then(String, (reason: unknown) => reason);
  assert.ok(error instanceof Failure && error.code === 'result_expired');
  assert.is(await files.hasResult('job_1.1.png'), false);
});

test('an attempt that wrote nothing is told as storage_failed', async () => {
  const { files } = await fresh();
  const error = await files.keepResult('job_1.1.png').then(String, (reason: unknown) => reason);
  assert.ok(error instanceof Failure && error.code === 'storage_failed');
  assert.match(String(error), 'ENOENT');
});

test('a file is flushed while its content is found out, and is not kept where that is another', async () => {
  const { dir, files } = await fresh();
  const store = await openDiskStore(dir, join(dir, 'incoming'));
  const path = files.attemptPath('job_1.1.png');
  writeFileSync(path, 'hello');
  let tell = (_: { bytes: number; sha256: string }) => {};
  const content = new Promise<{ bytes: number; sha256: string }>((resolve) => {
    tell = resolve;
  });
  const kept = store.put('results/job_1.1.png', path, content).then(String, (reason) => reason);
  await until('it has its name', () => readdirSync(join(dir, 'results')).length === 1);
  tell({ bytes: 6, sha256: HELLO });
  const error = await kept;
  assert.ok(error instanceof Failure && error.code === 'storage_failed');
  assert.equal(readdirSync(join(dir, 'results')), []);
});

test('a job has an input for each role that its operation names, and all of them go with it', async () => {
  const { dir, files, arrive } = await fresh();
  for (const role of ['media', 'audio', 'heard', 'mask']) {
    await files.keepInput(arrive(role), 'job_1', role);
  }
  await files.keepInput(arrive('other'), 'job_12', 'mask');
  const input = await files.localCopies('job_1').fetchInputs();
  for (const role of ['media', 'mask']) assert.is(readFileSync(input(role), 'utf8'), role);
  await files.removeInputs('job_1');
  assert.equal(readdirSync(join(dir, 'inputs')), ['job_12.mask']);
});

test('removing a job takes its input and attempts, and leaves results and other jobs', async () => {
  const { dir, files, arrive } = await fresh();
  await files.keepInput(arrive('in'), 'job_1');
  await files.keepInput(arrive('in'), 'job_12');
  for (const name of ['job_1.1.png', 'job_1.2.png', 'job_12.1.png']) {
    writeFileSync(files.attemptPath(name), 'out');
  }
  await files.keepResult('job_1.2.png');
  await files.removeJob('job_1');
  await files.removeJob('job_1');
  assert.equal(readdirSync(join(dir, 'inputs')), ['job_12']);
  assert.equal(readdirSync(join(dir, 'attempts')), ['job_12.1.png']);
  assert.equal(readdirSync(join(dir, 'results')), ['job_1.2.png']);
});

test('what a job left for its next attempt goes with it, and stays while it may come', async () => {
  const { dir, files } = await fresh();
  for (const id of ['job_1', 'job_12']) {
    const local = files.localCopies(id);
    const checkpoints = await openCheckpoints(local.checkpoints, 'r1');
    await checkpoints.put('chunk-0.mp4', async (path) => writeFileSync(path, 'pictures'));
    await local.remove();
  }
  await files.removeJob('job_1');
  await files.sweep(24 * hour, never);
  const next = await openCheckpoints(files.localCopies('job_12').checkpoints, 'r1');
  assert.is(readFileSync(await next.fetch('chunk-0.mp4'), 'utf8'), 'pictures');
  const [left = '', ...others] = readdirSync(join(dir, 'checkpoints'));
  assert.match(left, /^job_12\./);
  assert.equal(others, []);
});

test('a job may have a sound beside its clip, and loses both', async () => {
  const { dir, files, arrive } = await fresh();
  await files.keepInput(arrive('clip'), 'job_1');
  await files.keepInput(arrive('sound'), 'job_1', 'audio');
  await files.keepInput(arrive('sound'), 'job_12', 'audio');
  const input = await files.localCopies('job_1').fetchInputs();
  assert.is(readFileSync(input('media'), 'utf8'), 'clip');
  assert.is(readFileSync(input('audio'), 'utf8'), 'sound');
  await files.removeJob('job_1');
  assert.equal(readdirSync(join(dir, 'inputs')), ['job_12.audio']);
});

test('a file that is not whole on the disk is storage_failed, and leaves no name', async () => {
  const { dir, files, arrive } = await fresh();
  const kept = files.keepUpload(arrive('hell'), 'upl_1', 5);
  const error = await kept.then(String, (reason: unknown) => reason);
  assert.ok(error instanceof Failure && error.code === 'storage_failed');
  assert.match(String(error), 'expected 5 bytes on the disk; 4 are there');
  assert.equal(readdirSync(join(dir, 'uploads')), []);
});

test('a borrowed upload outlives the upload', async () => {
  const { dir, files, arrive } = await fresh();
  await files.keepUpload(arrive('hello'), 'upl_1', 5);
  const borrowed = (await files.copyUpload('upl_1')) ?? '';
  age(join(dir, 'uploads', 'upl_1'), 25 * hour);
  await files.sweep(24 * hour, never);
  assert.not.ok(existsSync(join(dir, 'uploads', 'upl_1')));
  assert.is(readFileSync(borrowed, 'utf8'), 'hello');
});

test('a borrowed result is a copy, which stays when the result is removed', async () => {
  const { files } = await fresh();
  writeFileSync(files.attemptPath('job_1.1.png'), 'picture');
  await files.keepResult('job_1.1.png');
  const borrowed = (await files.copyResult('job_1.1.png')) ?? '';
  await files.removeResult('job_1.1.png');
  assert.is(readFileSync(borrowed, 'utf8'), 'picture');
  assert.is(await files.copyResult('job_1.1.png'), null);
});

test('a sweep takes what expired and leaves what did not', async () => {
  const { dir, files, arrive } = await fresh();
  await files.keepUpload(arrive('new'), 'upl_new', 3);
  for (const name of ['old.1.png', 'new.1.png']) {
    writeFileSync(files.attemptPath(name), 'out');
    await files.keepResult(name);
  }
  age(join(dir, 'results', 'old.1.png'), 26 * hour);
  age(join(dir, 'results', 'new.1.png'), 23 * hour);
  const arriving = arrive('still coming');
  await files.keepInput(arrive('in'), 'job_just_sent');
  await files.sweep(24 * hour, never);
  assert.equal(readdirSync(join(dir, 'results')), ['new.1.png']);
  assert.equal(readdirSync(join(dir, 'uploads')), ['upl_new']);
  assert.equal(readdirSync(join(dir, 'inputs')), ['job_just_sent']);
  assert.ok(existsSync(arriving));
});

test('what arrives is left while it comes, and is swept some minutes after the last byte', async () => {
  const { dir, files, arrive } = await fresh();
  arrive('borrowed');
  const folder = files.temporary();
  mkdirSync(folder);
  writeFileSync(join(folder, 'video'), 'some');
  const minutes = (count: number) => Date.now() + count * 60_000;
  await files.sweep(24 * hour, never, minutes(19));
  assert.is(readdirSync(join(dir, 'incoming')).length, 2);
  await files.sweep(24 * hour, never, minutes(21));
  assert.equal(readdirSync(join(dir, 'incoming')), []);
});

test('opening twice keeps what is there', async () => {
  const { dir, files, arrive } = await fresh();
  await files.keepInput(arrive('in'), 'job_1');
  await openFiles(dir);
  assert.equal(readdirSync(join(dir, 'inputs')), ['job_1']);
});

test.run();
