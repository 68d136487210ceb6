/** Files in a bucket of a real S3 server, and what becomes of them when that is slow, full, forbidding or forgetful. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import { openCheckpoints } from '../../src/storage/checkpoints.ts';
import { openFiles } from '../../src/storage/files.ts';
import { testConfig } from '../real/config.ts';
import { tempDir } from '../real/run.ts';
import { type Meddler, realS3, refuse } from '../real/s3.ts';
import { until } from '../real/until.ts';

const test = suite('files in S3');
const s3 = await realS3();
test.after.each(() => s3.meddle());
test.after(() => s3.close());

const [hour, MiB] = [3600_000, 1024 * 1024];
const never = async () => false;

/** Several machines over one bucket. */
const fresh = async () => {
  const bucket = await s3.bucket();
  const machine = async (settings: NodeJS.Dict<string> = {}) => {
    const dir = tempDir('machine');
    const variables = { ...bucket.variables, ...settings, DATA_DIR: dir };
    const files = await openFiles(dir, testConfig(variables).files);
    const arrive = (content: string | Buffer): string => {
      const path = files.temporary();
      writeFileSync(path, content);
      return path;
    };
    return { dir, files, arrive };
  };
  return { ...bucket, machine };
};

const failureOf = async (work: Promise<unknown>): Promise<Failure> => {
  const error = await work.then(String, (reason: unknown) => reason);
  assert.ok(error instanceof Failure, String(error));
  return error;
};
const isDownload = ({ method, url = '' }: IncomingMessage) =>
  method === 'GET' && /inputs\/job_1/.test(url);

/** What the operator reads, and what callers must not. */
const isInternal = /S3|Swift|127\.0\.0\.1|media-|HeadObject|PutObject|GetObject/;

test('what one machine keeps, another reads: inputs, checkpoints and results', async () => {
  const { machine, keys } = await fresh();
  const [one, two] = [await machine(), await machine()];
  await one.files.keepInput(one.arrive('clip'), 'job_1');
  await one.files.keepInput(one.arrive('sound'), 'job_1', 'audio');
  await one.files.keepInput(one.arrive('other'), 'job_12');
  const input = await two.files.localCopies('job_1').fetchInputs();
  assert.is(readFileSync(input('media'), 'utf8'), 'clip');
  assert.is(readFileSync(input('audio'), 'utf8'), 'sound');

  const left = await openCheckpoints(one.files.localCopies('job_1').checkpoints, 'r1');
  await left.put('chunk-0.mp4', async (path) => writeFileSync(path, 'pictures'));
  const found = await openCheckpoints(two.files.localCopies('job_1').checkpoints, 'r1');
  assert.is(await found.has('chunk-0.mp4'), true);
  assert.is(readFileSync(await found.fetch('chunk-0.mp4'), 'utf8'), 'pictures');
  assert.is(await found.read('chunk-1.mp4'), null);

  writeFileSync(two.files.attemptPath('job_1.4.png'), 'hello');
  const { bytes } = await two.files.keepResult('job_1.4.png');
  const result = await one.files.openResult('job_1.4.png');
  assert.equal([bytes, result.bytes], [5, 5]);
  assert.is(String(await buffer(await result.read())), 'hello');
  assert.is(String(await buffer(await result.read({ start: 1, end: 3 }))), 'ell');

  await two.files.removeJob('job_1');
  assert.equal(await keys(), ['enhance/inputs/job_12', 'enhance/results/job_1.4.png']);
  await one.files.removeResult('job_1.4.png');
  assert.is((await failureOf(two.files.openResult('job_1.4.png'))).code, 'result_expired');
});

test('a file of several parts comes back as it was, and a borrowed upload outlives the upload', async () => {
  const { machine } = await fresh();
  const { files, arrive } = await machine();
  const content = randomBytes(11 * MiB);
  await files.keepUpload(arrive(content), 'upl_1', content.length);
  const borrowed = (await files.copyUpload('upl_1')) ?? '';
  await files.removeUpload('upl_1');
  assert.ok(readFileSync(borrowed).equals(content));
  assert.is(await files.copyUpload('upl_1'), null);
});

test('a result is borrowed from the bucket, until it is gone', async () => {
  const { machine } = await fresh();
  const [one, two] = [await machine(), await machine()];
  writeFileSync(one.files.attemptPath('job_1.1.png'), 'picture');
  await one.files.keepResult('job_1.1.png');
  const borrowed = (await two.files.copyResult('job_1.1.png')) ?? '';
  assert.is(readFileSync(borrowed, 'utf8'), 'picture');
  await one.files.removeResult('job_1.1.png');
  assert.is(await two.files.copyResult('job_1.1.png'), null);
});

test('a sweep takes what expired, what nobody waits for, and parts of what was never finished', async () => {
  const { machine, keys, beginParts, unfinished } = await fresh();
  const { files, arrive } = await machine();
  const other = await machine();
  await files.keepUpload(arrive('up'), 'upl_1', 2);
  await files.keepInput(arrive('waits'), 'job_waits');
  await files.keepInput(arrive('gone'), 'job_gone');
  writeFileSync(files.attemptPath('job_1.1.png'), 'out');
  await files.keepResult('job_1.1.png');
  await beginParts('enhance/results/job_2.1.mp4');
  const waits = async (id: string) => id === 'job_waits';
  await other.files.sweep(24 * hour, waits);
  assert.is((await keys()).length, 4);
  assert.is(await unfinished(), 1);
  await other.files.sweep(24 * hour, waits, Date.now() + 24.5 * hour);
  assert.equal(await keys(), ['enhance/inputs/job_waits', 'enhance/results/job_1.1.png']);
  assert.is(await unfinished(), 0);
  await other.files.sweep(24 * hour, never, Date.now() + 25.5 * hour);
  assert.equal(await keys(), []);
});

test('a sweep leaves the unfinished files of others in the bucket, and another sweep beside it does no harm', async () => {
  const { machine, beginParts, unfinished } = await fresh();
  const patient = { S3_TIMEOUT_SECONDS: '60' };
  const [one, two] = [await machine(patient), await machine(patient)];
  await beginParts('enhance/archive/not-ours');
  await beginParts('enhance-too/results/not-ours');
  for (let count = 0; count < 5; count += 1) await beginParts(`enhance/results/job_${count}.1.mp4`);
  const later = Date.now() + 24 * hour;
  // Both list them before either has removed any.
  const waiting: (() => void)[] = [];
  s3.meddle((asked, _answer, pass) => {
    const query = new URL(asked.url ?? '', 'http://s3').searchParams;
    if (!query.has('uploads') || !query.get('prefix')?.includes('results')) return pass();
    waiting.push(pass);
    if (waiting.length === 2) for (const go of waiting) go();
  });
  await Promise.all([one, two].map(({ files }) => files.sweep(24 * hour, never, later)));
  assert.is(await unfinished(), 2, 'those of others');
});

test('a call that is answered too late is sent again, and given up when that goes on', async () => {
  const { machine, keys } = await fresh();
  const { files, arrive } = await machine();
  let calls = 0;
  const silent: Meddler = () => {
    calls += 1;
  };
  s3.meddle((...call) => (calls === 0 ? silent(...call) : call[2]()));
  await files.keepInput(arrive('late'), 'job_1');
  assert.equal(await keys(), ['enhance/inputs/job_1']);
  [calls] = [0];
  s3.meddle(silent);
  const failure = await failureOf(files.hasResult('job_1.1.png'));
  assert.equal([failure.code, failure.status, calls], ['storage_unavailable', 503, 3]);
  assert.not.match(failure.message, isInternal);
  assert.match(String(failure.cause), /HeadObject results\/job_1.1.png failed; check S3_ENDPOINT/);
});

for (const [what, { status, code, told, advice }] of Object.entries({
  full: { status: 507, code: 'XMinioStorageFull', told: 'storage_full 507', advice: /make room/ },
  forbidding: {
    status: 403,
    code: 'AccessDenied',
    told: 'storage_failed 500',
    advice: /check S3_BUCKET, S3_REGION, the credentials .*403 AccessDenied/,
  },
})) {
  test(`a server that is ${what} keeps nothing; the operator is told why, and callers are not`, async () => {
    const { machine, keys } = await fresh();
    const { files, arrive } = await machine();
    s3.meddle((asked, answer, pass) => {
      if (asked.method !== 'PUT') return pass();
      asked.resume();
      asked.on('end', () => refuse(answer, status, code));
    });
    writeFileSync(files.attemptPath('job_1.1.png'), 'result');
    for (const keeping of [
      () => files.keepUpload(arrive('upload'), 'upl_1', 6),
      () => files.keepInput(arrive('input'), 'job_1'),
      () => files.keepResult('job_1.1.png'),
    ]) {
      const failure = await failureOf(keeping());
      assert.is(`${failure.code} ${failure.status}`, told);
      assert.not.match(failure.message, isInternal);
      assert.match(String(failure.cause), advice);
    }
    assert.equal(await keys(), []);
  });
}

test('wrong credentials are a refusal', async () => {
  const { variables } = await fresh();
  const dir = tempDir('machine');
  const config = testConfig({ ...variables, S3_SECRET_ACCESS_KEY: 'wrong', DATA_DIR: dir });
  const files = await openFiles(dir, config.files);
  writeFileSync(files.attemptPath('job_1.1.png'), 'result');
  const failure = await failureOf(files.keepResult('job_1.1.png'));
  assert.is(failure.code, 'storage_failed');
  assert.match(String(failure.cause), /SignatureDoesNotMatch/);
  await failureOf(files.check());
});

test('a part that the server loses is noticed, and nothing of the file is kept', async () => {
  const { machine, keys, unfinished } = await fresh();
  const { files } = await machine();
  const content = randomBytes(11 * MiB);
  let lost = 0;
  s3.meddle((asked, answer, pass) => {
    if (!/partNumber=2\b/.test(asked.url ?? '') || lost > 0) return pass();
    lost += 1;
    asked.resume();
    // It says that it has the part, and never sees it.
    asked.on('end', () => answer.writeHead(200, { ETag: '"0123456789abcdef"' }).end());
  });
  const path = files.attemptPath('job_1.1.mp4');
  writeFileSync(path, content);
  const failure = await failureOf(files.keepResult('job_1.1.mp4'));
  assert.equal([failure.code, failure.retryable, lost], ['storage_failed', true, 1]);
  assert.match(String(failure.cause), /InvalidPart/);
  assert.equal([await keys(), await unfinished()], [[], 0]);
  assert.ok(existsSync(path), 'the file is still here to be sent again');
  const { bytes } = await files.keepResult('job_1.1.mp4');
  assert.is(bytes, content.length);
});

test('a file that the server cut short is not kept', async () => {
  const { machine, keys } = await fresh();
  const { files, arrive } = await machine();
  s3.meddle((asked, answer, pass) => {
    if (asked.method !== 'HEAD') return pass();
    answer.writeHead(200, { 'Content-Length': '3', ETag: '"ab"' }).end();
  });
  const failure = await failureOf(files.keepInput(arrive('input'), 'job_1'));
  assert.is(failure.code, 'storage_failed');
  assert.match(String(failure.cause), /5 bytes were sent and 3 were kept/);
  assert.equal(await keys(), []);
});

test('a copy that was damaged or cut on its way is not used', async () => {
  const { machine } = await fresh();
  const { files, arrive } = await machine();
  await files.keepInput(arrive('some input'), 'job_1');
  s3.meddle((asked, _answer, pass) =>
    pass(isDownload(asked) ? (chunk) => chunk.fill(0) : undefined),
  );
  const damaged = await failureOf(files.localCopies('job_1').fetchInputs());
  assert.equal([damaged.code, damaged.retryable], ['storage_failed', true]);
  s3.meddle((asked, answer, pass) => {
    if (!isDownload(asked)) return pass();
    answer.writeHead(200, { 'Content-Length': '10' }).write('some');
    setTimeout(() => answer.destroy(), 50);
  });
  assert.is(
    (await failureOf(files.localCopies('job_1').fetchInputs())).code,
    'storage_unavailable',
  );
  s3.meddle();
  const input = await files.localCopies('job_1').fetchInputs();
  assert.is(readFileSync(input('media'), 'utf8'), 'some input');
});

test('a download that stops in its middle is given up', async () => {
  const { machine } = await fresh();
  const { files, arrive } = await machine();
  await files.keepInput(arrive('some input'), 'job_1');
  s3.meddle((asked, answer, pass) => {
    if (!isDownload(asked)) return pass();
    answer.writeHead(200, { 'Content-Length': '10' }).write('some');
  });
  const failure = await failureOf(files.localCopies('job_1').fetchInputs());
  assert.is(failure.code, 'storage_unavailable');
  assert.match(String(failure.cause), /GetObject inputs\/job_1/);
});

test('who leaves a download that hangs has its connection to the server closed', async () => {
  const { machine } = await fresh();
  const { files } = await machine();
  writeFileSync(files.attemptPath('job_1.1.png'), 'hello');
  await files.keepResult('job_1.1.png');
  const { read } = await files.openResult('job_1.1.png');
  let isClosed = false;
  s3.meddle((_asked, answer) => {
    answer.on('close', () => {
      isClosed = true;
    });
    answer.writeHead(200, { 'Content-Length': '10' }).write('some');
  });
  const bytes = await read();
  // Not before it has asked for the next bytes.
  bytes.once('data', () => setImmediate(() => bytes.destroy()));
  await until('the server sees it closed', async () => isClosed);
});

test('a stop ends a download that hangs', async () => {
  const { machine } = await fresh();
  const { files, dir, arrive } = await machine();
  await files.keepInput(arrive('some input'), 'job_1');
  const stop = new AbortController();
  s3.meddle((asked, answer, pass) => {
    if (!isDownload(asked)) return pass();
    answer.writeHead(200, { 'Content-Length': '10' }).write('some');
    stop.abort(new Error('the caller cancelled'));
  });
  const local = files.localCopies('job_1');
  await failureOf(local.fetchInputs(stop.signal));
  const left = readdirSync(join(dir, 'attempts'), { recursive: true, encoding: 'utf8' });
  assert.not.ok(
    left.some((name) => name.endsWith('inputs/job_1')),
    `${left}`,
  );
  await local.remove();
  assert.equal(readdirSync(join(dir, 'attempts')), []);
});

test.run();
