/** An API and workers on machines of their own, which share nothing but Redis and a bucket of a real S3 server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import { pino } from 'pino';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openCheckpoints } from '../../src/storage/checkpoints.ts';
import { realApi } from '../http/api.ts';
import { refused } from '../http/told.ts';
import { atOnce, openRig, pictureOf, type Rig, type Run } from '../jobs/rig.ts';
import { h264, makeClip, pattern } from '../real/clip.ts';
import { testEnvironment } from '../real/config.ts';
import { programOf } from '../real/program.ts';
import { freshPrefix, realRedis } from '../real/redis.ts';
import { partEnvironment, tempDir } from '../real/run.ts';
import { type Bucket, realS3, refuse } from '../real/s3.ts';
import { callerOf, ended } from '../real/service.ts';
import { skip } from '../real/skip.ts';
import { smallDisk } from '../real/small-disk.ts';
import { type RealTriton, realTriton, tritonEnvironment } from '../real/triton.ts';
import { until } from '../real/until.ts';

const test = suite('a service over S3');
const [redis, s3] = await Promise.all([realRedis(), realS3()]);
const opened: { close(): Promise<void> }[] = [];
test.after.each(async () => {
  s3.meddle();
  for (const part of opened.splice(0).reverse()) await part.close();
});
test.after(() => s3.close());

const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#48c' } })
  .png()
  .toBuffer();
const photo = { model: 'photo', scale: '2', effort: 'best' };
/** The image as the part `name`, after some fields. */
const formOf = (fields: Record<string, string>, name: string): FormData => {
  const body = new FormData();
  for (const [field, value] of Object.entries(fields)) body.append(field, value);
  body.append(name, new Blob([Uint8Array.from(image)]), 'a.png');
  return body;
};

/** Everything that the machines of one service have in common. */
const freshService = async () => {
  const bucket = await s3.bucket();
  return { ...bucket, url: redis.url, prefix: freshPrefix() };
};
type Service = Bucket & { readonly url: string; readonly prefix: string };

const machine = async (
  service: Service,
  settings: Record<string, string> = {},
  dir = tempDir('machine'),
): Promise<Rig> => {
  const { url, prefix } = service;
  const rig = await openRig({ url, prefix, dir }, { ...service.variables, ...settings });
  opened.push(rig);
  return rig;
};
/** What the operator reads: the lines of the API's log. */
const logged: string[] = [];
const log = pino({ level: 'info' }, { write: (line) => void logged.push(line) });
const apiOn = async (service: Service, settings: Record<string, string> = {}) => {
  const variables = { ...service.variables, REDIS_URL: service.url, REDIS_PREFIX: service.prefix };
  const api = await realApi({ ...variables, ...settings }, realRedis(), log);
  opened.push(api);
  return api;
};
const download = (url: string, headers: Record<string, string> = {}) =>
  axios.get(url, { headers, responseType: 'arraybuffer', validateStatus: () => true });

test('an upload goes from machine to machine to its result, is cached, downloaded and erased', async () => {
  const service = await freshService();
  const [api, one, two] = [await apiOn(service), await machine(service), await machine(service)];
  const seen: string[] = [];
  const count: Run = async (_work, { input, target }) => {
    const came = readFileSync(input('media'));
    seen.push(came.equals(image) ? 'whole' : 'other');
    writeFileSync(target, `${came.length} bytes came`);
    return pictureOf(16);
  };
  for (const rig of [one, two]) await rig.work(count);
  const { http } = await api.caller();
  const { url } = (await http.post('/v1/uploads', formOf({}, 'file'))).data;
  const order = async (scale: number) =>
    (await http.post('/v1/upscale', { model: 'photo', scale, image_url: url })).data;

  const made = await Promise.all([order(2), order(4), order(8)]);
  assert.equal(seen, ['whole', 'whole', 'whole']);
  const [first] = made;
  const whole = await download(first.output_url);
  assert.is(String(whole.data), `${image.length} bytes came`);
  const etag = String(whole.headers.etag);
  const part = await download(first.output_url, { range: 'bytes=0-1' });
  assert.equal([part.status, String(part.data)], [206, String(whole.data).slice(0, 2)]);
  assert.is((await download(first.output_url, { 'if-none-match': etag })).status, 304);
  const head = await axios.head(first.output_url);
  assert.equal(
    [head.status, head.headers['content-length'], head.headers.etag],
    [200, `${whole.data.length}`, etag],
  );

  const before = (await http.get('/v1/credits')).data.balance;
  const again = await order(2);
  assert.equal([again.cached, (await http.get('/v1/credits')).data.balance], [true, before]);
  await until('no input is left', async () =>
    (await service.keys()).every((key) => /\/(results|uploads)\//.test(key)),
  );
  for (const { id } of [...made, again]) await http.delete(`/v1/jobs/${id}`);
  assert.equal(
    (await service.keys()).filter((key) => key.includes('/results/')),
    [],
  );
  assert.is((await download(first.output_url)).status, 410);
  await api.nothingLeft();
});

test('a job whose worker is killed goes on elsewhere from what that one left', async () => {
  const service = await freshService();
  const [asking, next] = [await machine(service), await machine(service)];
  await asking.ledger.grant('acme', 100);
  const worker = startProcess(service);
  const { job } = await asking.ask('a');
  await once(worker.stdout ?? worker, 'data', { signal: AbortSignal.timeout(60_000) });
  const exited = once(worker, 'exit');
  worker.kill('SIGKILL');
  await exited;
  let found: string | null = null;
  await next.work(async (work, places, ...rest) => {
    assert.is(readFileSync(places.input('media'), 'utf8'), 'a');
    found = await (await openCheckpoints(places.work, 'r1')).read('half');
    return atOnce(work, places, ...rest);
  });
  const done = await asking.ended(job);
  assert.equal([done.status, done.attempts, done.lost, done.charged], ['succeeded', 2, 1, 10]);
  assert.is(found, 'half of the work');
  await until('only the result is left', async () => (await service.keys()).length === 1);
  assert.equal(await asking.differences(), []);
});

const [own, helped] = ['chunk done', 'chunk of another worker done'];
/** A real worker in a process of its own, with an empty disk. */
const startVideoWorker = async ({ url, prefix, variables }: Service, triton: RealTriton) => {
  const dir = tempDir('machine');
  const env = testEnvironment({
    ...partEnvironment(),
    ...variables,
    ...tritonEnvironment(triton),
    REDIS_URL: url,
    REDIS_PREFIX: prefix,
    DATA_DIR: dir,
    // One that the test holds up is not to give up.
    UPSCALE_CHUNK_SECONDS: '0.5',
    WORKER_CONCURRENCY: '1',
    S3_TIMEOUT_SECONDS: '60',
  });
  const args = ['--no-warnings', ...programOf('walk/quick-worker.ts')];
  const process = spawn(execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: { readonly msg: string; readonly chunk?: number }[] = [];
  createInterface(process.stdout).on('line', (line) => lines.push(JSON.parse(line)));
  const exited = once(process, 'exit');
  const close = async () => {
    process.kill('SIGKILL');
    await exited;
  };
  opened.push({ close });
  await until('the worker is ready', () => lines.some(({ msg }) => msg === 'ready'), 60_000);
  /** The chunks that it said this of. */
  const done = (...messages: readonly string[]) =>
    lines.flatMap(({ msg, chunk = -1 }) => (messages.includes(msg) ? [chunk] : []));
  return { close, done, attempts: () => readdirSync(join(dir, 'attempts')) };
};

test('two workers that share only the bucket do one video, bit for bit as one of them does', async () => {
  const [triton, service] = await Promise.all([realTriton(['photo']), freshService()]);
  opened.push(triton);
  const [api, path, ...workers] = await Promise.all([
    apiOn(service),
    makeClip(join(tempDir('clip'), 'a.mp4'), pattern(2, 10), [...h264, '-g', '5']),
    startVideoWorker(service, triton),
    startVideoWorker(service, triton),
  ]);
  const enlarge = async () => {
    // Another account each time, so that nothing is cached.
    const { account, key } = await api.caller();
    const caller = callerOf(account, key, api.url);
    const { status, data } = await caller.upscale(path, photo, { prefer: 'respond-async' });
    assert.is(status, 202, JSON.stringify(data));
    const job = await caller.until(data.id, ended);
    assert.is(job.status, 'succeeded', JSON.stringify(job.error));
    return caller.download(job.result?.output_url ?? '');
  };
  const onlyResults = (count: number) => async () => {
    const keys = await service.keys();
    return keys.length === count && keys.every((key) => key.includes('/results/'));
  };

  // Whoever has the job does its first chunk, which is not kept before the other has done one.
  s3.meddle(async (asked, _answer, pass) => {
    if (asked.method === 'PUT' && /chunk-0\.mp4/.test(asked.url ?? ''))
      await until('one helps', () => workers.some(({ done }) => done(helped).length > 0), 60_000);
    pass();
  });
  const together = await enlarge();
  const chunks = () => new Set(workers.flatMap(({ done }) => done(own, helped)));
  await until('they have told of all four chunks', () => chunks().size === 4);
  for (const { done } of workers) assert.ok(done(own, helped).length > 0);
  await until('only the result is left', onlyResults(1));
  for (const { attempts } of workers) await until('its disk is empty', () => !attempts().length);

  s3.meddle();
  const [, other] = workers;
  await other.close();
  const alone = await enlarge();
  assert.ok(together.equals(alone), `${together.length} bytes, and ${alone.length} of one`);
  await until('only the results are left', onlyResults(2));
});

const startProcess = (service: Service): ChildProcess => {
  const { url, prefix, variables } = service;
  const place = { url, prefix, dir: tempDir('machine') };
  const given = [place, variables].map((value) => JSON.stringify(value));
  const args = ['--no-warnings', ...programOf('jobs/worker-process.ts'), ...given];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
};

/** A job on a machine whose storage fails so, until a test lets the server answer by itself again. */
const meeting = async (fail: Parameters<typeof s3.meddle>[0], settings = {}) => {
  const service = await freshService();
  const [asking, rig] = [await machine(service), await machine(service, settings)];
  await asking.ledger.grant('acme', 100);
  const { job } = await asking.ask('a');
  let runs = 0;
  s3.meddle(fail);
  await rig.work(async (...call) => {
    runs += 1;
    return atOnce(...call);
  });
  const ended = async () => {
    const done = await asking.ended(job, 60_000);
    assert.equal(await asking.differences(), []);
    return { done, runs, credits: await asking.credits() };
  };
  return { service, job, asking, ended };
};

test('a job waits while the storage is away, and that costs it no attempt', async () => {
  const { asking, job, ended } = await meeting((asked) => asked.destroy());
  await until('it was put back', async () => (await asking.jobs.get('acme', job.id)).fence > 1);
  s3.meddle();
  const { done, runs } = await ended();
  assert.equal([done.status, done.attempts, done.charged, runs], ['succeeded', 1, 10, 1]);
});

test('a job that finds no room for its result waits for it, then fails and costs nothing', async () => {
  const full = await meeting(
    (asked, answer, pass) => {
      if (asked.method !== 'PUT') return pass();
      asked.resume();
      asked.on('end', () => refuse(answer, 507, 'XMinioStorageFull'));
    },
    { MODEL_WAIT_SECONDS: '1' },
  );
  const { done, runs, credits } = await full.ended();
  assert.equal([done.status, done.error?.code, done.charged], ['failed', 'storage_full', 0]);
  assert.equal([done.attempts <= 1, runs > 1, credits], [true, true, { balance: 100, held: 0 }]);
  s3.meddle();
});

test('a job whose storage forbids it fails and costs nothing', async () => {
  const forbidden = await meeting((asked, answer) => {
    asked.resume();
    asked.on('end', () => refuse(answer, 403, 'AccessDenied'));
  });
  const { done, runs, credits } = await forbidden.ended();
  assert.equal([done.status, done.error?.code, runs], ['failed', 'storage_failed', 0]);
  assert.not.match(JSON.stringify(done.error), /S3|media-|AccessDenied/);
  assert.equal(credits, { balance: 100, held: 0 });
});

test('a result that the storage damages is stored again by the next attempt', async () => {
  let cut = 0;
  const damaged = await meeting((asked, answer, pass) => {
    if (asked.method !== 'HEAD' || !asked.url?.includes('/results/') || cut > 0) return pass();
    cut += 1;
    answer.writeHead(200, { 'Content-Length': '1' }).end();
  });
  const { done, runs } = await damaged.ended();
  assert.equal([done.status, done.attempts, done.charged, runs], ['succeeded', 2, 10, 2]);
});

const disk = smallDisk(4);
const fullDisk = 'a result that fills the disk of its worker fails, costs nothing and is nowhere';
if (disk === null) skip(test, fullDisk, 'the right to mount a small disk');
else
  test(fullDisk, async () => {
    const service = await freshService();
    const asking = await machine(service);
    const small = await machine(service, { DISK_RESERVE_BYTES: '0' }, disk);
    await asking.ledger.grant('acme', 100);
    const { job } = await asking.ask('a');
    let runs = 0;
    await small.work(async (_work, { target }) => {
      runs += 1;
      writeFileSync(target, Buffer.alloc(8 * 1024 * 1024));
      return pictureOf(20);
    });
    const done = await asking.ended(job);
    assert.equal([done.status, done.error?.code, runs], ['failed', 'storage_failed', 3]);
    assert.equal(await asking.credits(), { balance: 100, held: 0 });
    await until('nothing is left', async () => (await service.keys()).length === 0);
    assert.equal(readdirSync(join(disk, 'attempts')), []);
  });

test('while the storage is away uploads and orders are refused, and the readiness says why', async () => {
  const service = await freshService();
  const api = await apiOn(service);
  const { http } = await api.caller();
  const ready = await api.client().get('/readyz');
  assert.not.match(JSON.stringify(ready.data), /storage/);
  s3.meddle((asked) => asked.destroy());
  const answers = [
    await http.post('/v1/uploads', formOf({}, 'file')),
    await http.post('/v1/upscale', formOf(photo, 'image')),
  ];
  for (const answer of answers) {
    const { detail } = refused(answer, 503, 'storage_unavailable');
    assert.not.match(detail, /S3|127\.0/);
    assert.ok(answer.headers['retry-after']);
  }
  const { balance, held } = (await http.get('/v1/credits')).data;
  assert.equal([balance, held], [1000, 0]);
  await until('the last answer of the bucket is old', async () =>
    (await api.client().get('/readyz')).data.missing.includes(
      'the storage of media does not answer',
    ),
  );
  assert.match(logged.join(), /S3: HeadBucket failed; .*"the storage of media does not answer"/);
  s3.meddle();
  await api.nothingLeft();
});

test('an upload that the storage refuses: the caller is told so, and the operator what to check', async () => {
  const service = await freshService();
  const api = await apiOn(service);
  const { http } = await api.caller();
  s3.meddle((asked, answer) => {
    asked.resume();
    asked.on('end', () => refuse(answer, 403, 'AccessDenied'));
  });
  const answer = await http.post('/v1/uploads', formOf({}, 'file'));
  const problem = refused(answer, 500, 'storage_failed');
  assert.not.match(JSON.stringify(problem), /S3|AccessDenied|media-/);
  const told = logged.filter((line) => line.includes('"refused"')).at(-1) ?? '';
  assert.match(told, /check S3_BUCKET, S3_REGION, the credentials .*403 AccessDenied/);
  const { missing } = (await api.client().get('/readyz')).data;
  assert.ok(missing.includes('the storage of media refuses access'), missing.join());
  assert.match(logged.join(), /S3: HeadBucket failed; check S3_BUCKET.* 403 .*refuses access"/);
  assert.not.match(logged.join(), service.variables.S3_SECRET_ACCESS_KEY);
  s3.meddle();
  await api.nothingLeft();
});

test('a download that the storage cuts short ends at once, and is not taken for whole', async () => {
  const service = await freshService();
  const [api, worker] = [
    await apiOn(service, { BODY_STALL_SECONDS: '60' }),
    await machine(service),
  ];
  await worker.work(atOnce);
  const { http } = await api.caller();
  const { output_url } = (await http.post('/v1/upscale', formOf(photo, 'image'))).data;
  s3.meddle((asked, answer, pass) => {
    if (asked.method !== 'GET' || !asked.url?.includes('/results/')) return pass();
    answer.writeHead(200, { 'Content-Length': '8' }).write('enh');
    setTimeout(() => answer.destroy(), 50);
  });
  const came = download(output_url, {}).then(() => 'whole', String);
  assert.match(
    await Promise.race([came, sleep(30_000, 'nothing', { ref: false })]),
    /aborted|hang up/,
  );
  assert.match(logged.join(), /GetObject results.*could not be sent completely/);
  s3.meddle((asked, _answer, pass) => (asked.method === 'GET' ? asked.destroy() : pass()));
  const away = await download(output_url);
  assert.is(JSON.parse(String(away.data)).code, 'storage_unavailable');
  assert.equal([away.status, away.headers['content-type']], [503, 'application/problem+json']);
  for (const name of ['etag', 'content-disposition'])
    assert.is(away.headers[name], undefined, name);
  assert.is(away.headers['cache-control'], 'private, no-store');
});

test('with S3_PRESIGN a result is downloaded from the storage itself', async () => {
  const service = await freshService();
  const shown = service.variables.S3_ENDPOINT.replace('127.0.0.1', 'localhost');
  const api = await apiOn(service, { S3_PRESIGN: 'true', S3_PUBLIC_ENDPOINT: shown });
  const worker = await machine(service);
  await worker.work(atOnce);
  const { http } = await api.caller();
  const { output_url, id } = (await http.post('/v1/upscale', formOf(photo, 'image'))).data;
  const raw = { maxRedirects: 0, validateStatus: () => true };
  const sent = await axios.get(output_url, raw);
  assert.equal([sent.status, sent.headers['cache-control']], [302, 'private, no-store']);
  const { location } = sent.headers;
  assert.ok(location.startsWith(`${shown}/`), location);
  const result = await download(output_url, { range: 'bytes=2-4' });
  assert.equal([result.status, String(result.data)], [206, 'han']);
  assert.is(result.headers['content-type'], 'image/png');
  assert.match(result.headers['content-disposition'], `attachment; filename="photo-2x-${id}.png"`);
  const head = await axios.head(output_url, raw);
  assert.equal([head.status, head.headers['content-length']], [200, '8']);
  const headers = { 'if-none-match': String(head.headers.etag) };
  assert.is((await axios.get(output_url, { ...raw, headers })).status, 304);
  assert.is(
    (await axios.get(location.replace(/Signature=\w{8}/, 'Signature=00000000'), raw)).status,
    403,
  );
  await http.delete(`/v1/jobs/${id}`);
  assert.is((await axios.get(output_url, raw)).status, 410);
  assert.is((await axios.get(location, raw)).status, 404);
});

test.run();
