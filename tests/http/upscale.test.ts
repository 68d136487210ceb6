import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import axios from 'axios';
import Koa from 'koa';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { Job } from '../../src/contract/job.ts';
import { createJobEvents } from '../../src/http/answer/job-events.ts';
import type { State } from '../../src/http/context.ts';
import { identify } from '../../src/media/probe/identify.ts';
import { makeClip, pattern } from '../real/clip.ts';
import { freePorts } from '../real/ports.ts';
import { tempDir } from '../real/run.ts';
import { shippedPhoto } from '../real/shipped-photo.ts';
import { until } from '../real/until.ts';
import { realApi } from './api.ts';
import { pointers, refused } from './told.ts';

const test = suite('POST /v1/upscale up to the job');
const [mediaPort = 0] = await freePorts(1);
const api = await realApi({
  FETCH_ALLOW_HOSTS: `127.0.0.1:${mediaPort}`,
  FETCH_TIMEOUT_SECONDS: '3',
  RATE_CREATE_PER_MINUTE: '10000',
  ACCOUNT_QUEUED_LIMIT: '5',
  IMAGE_MAX_PIXELS: '10000',
  IMAGE_MAX_OUTPUT_SIDE: '400',
});
const caller = await api.caller();
const { http } = caller;

const pngOf = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#48c' } })
    .png()
    .toBuffer();
const small = await pngOf(5, 3);

/** Serves the small picture, or as `answerOnce` says. */
let answerOnce: RequestListener | undefined;
const media = createServer((request, response) => {
  const answer = answerOnce ?? ((_, to) => to.end(small));
  answerOnce = undefined;
  answer(request, response);
});
media.listen(mediaPort, '127.0.0.1');
await once(media, 'listening');
const mediaUrl = `http://127.0.0.1:${mediaPort}/a.png`;

const photo = { model: 'photo', scale: 2 };
const wanted = (file: Uint8Array<ArrayBuffer>, more: Record<string, string> = {}): FormData => {
  const form = new FormData();
  const fields = { model: 'photo', scale: '2', ...more };
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('image', new Blob([file]), 'a.png');
  return form;
};
let last = 0;
/** A picture that was not sent before, so that no job is joined. */
const fresh = async (): Promise<Uint8Array<ArrayBuffer>> => {
  last += 1;
  const { data } = await sharp({
    create: { width: 4, height: 4, channels: 3, background: { r: last % 256, g: last >> 8, b: 9 } },
  })
    .png()
    .toBuffer({ resolveWithObject: true });
  return Uint8Array.from(data);
};
const respondAsync = { prefer: 'respond-async' };
const post = (body: unknown, headers: Record<string, string> = respondAsync, by = http) =>
  by.post('/v1/upscale', body, { headers });

test.before.each(caller.cancelQueued);
test.after.each(api.nothingLeft);

test('a job asked for asynchronously is answered with 202, its place and its cost', async () => {
  const answer = await post(wanted(await fresh()));
  assert.is(answer.status, 202, JSON.stringify(answer.data));
  const job = Job.parse(answer.data);
  assert.equal([job.status, job.queue_position], ['queued', 1]);
  assert.is(answer.headers.location, `/v1/jobs/${job.id}`);
  assert.is(answer.headers['preference-applied'], 'respond-async');
  assert.equal(job.options, {
    model: 'photo',
    scale: 2,
    effort: 'best',
    denoise: 'auto',
    output_format: 'png',
  });
  assert.equal(job.cost, { estimated: 1, held: 1, charged: 0 });
  assert.equal((await http.get(`/v1/jobs/${job.id}`)).data, job);
});

test('a picture may run beside long jobs, a video may not', async () => {
  const clip = join(tempDir('quick'), 'clip.mp4');
  await makeClip(clip, pattern(0.4));
  const video = wanted(Uint8Array.from(await readFile(clip)), { output_format: 'mp4' });
  const isQuick = async (form: FormData) => {
    const { data } = await post(form);
    return (await api.parts.jobs.get(caller.account, data.id)).quick;
  };
  assert.equal([await isQuick(wanted(await fresh())), await isQuick(video)], [true, false]);
});

test('the events of a job that waits tell that it moves up, which nothing announces', async () => {
  const [first, second] = [await post(wanted(await fresh())), await post(wanted(await fresh()))];
  const draining = new AbortController();
  const job = await api.parts.jobs.get(caller.account, second.data.id);
  const parts = { ...api.parts, draining: draining.signal };
  const app = new Koa<State>().use((ctx) => {
    ctx.state.onGone = [];
    ctx.body = Readable.from(createJobEvents(50)(job, '', parts, ctx) ?? []);
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const { data } = await axios.get(`http://127.0.0.1:${port}`, { responseType: 'stream' });
  let text = '';
  data.on('data', (some: Buffer) => {
    text += some;
  });
  await until('its place is told', async () => text.includes('"queue_position":2'));
  await http.post(`/v1/jobs/${first.data.id}/cancel`);
  await until('it has moved up', async () => text.includes('"queue_position":1'));
  draining.abort();
  await once(data, 'end');
  server.close();
});

test('an estimate makes no job and tells the price, line by line', async () => {
  const before = (await http.get('/v1/jobs')).data.data.length;
  const { status, data } = await http.post('/v1/upscale/estimate', wanted(await fresh()));
  assert.is(status, 200);
  assert.equal([data.credits, data.available_credits], [1, 1000]);
  assert.equal(
    [data.release, data.input_size, data.output_size],
    [shippedPhoto.name, '4x4', '8x8'],
  );
  const sum = data.lines.reduce((all: number, line: { credits: number }) => all + line.credits, 0);
  assert.is(sum, data.credits);
  assert.is((await http.get('/v1/jobs')).data.data.length, before);
});

test('a file whose price was asked is not probed again for its job', async () => {
  const [file, { lend }] = [await fresh(), api.parts.probers];
  let lent = 0;
  api.parts.probers.lend = (work) => {
    lent += 1;
    return lend(work);
  };
  try {
    const estimate = await http.post('/v1/upscale/estimate', wanted(file));
    const job = await post(wanted(file));
    assert.equal([estimate.status, job.status, lent], [200, 202, 1]);
    assert.is(job.data.input.size, '4x4');
    assert.is((await post(wanted(await fresh()))).status, 202);
    assert.is(lent, 2);
  } finally {
    api.parts.probers.lend = lend;
  }
});

test('an MPEG stream is put into another container for its job, asked for its price before or not', async () => {
  const { dir } = api.parts.config.files;
  const folder = tempDir('streams');
  for (const asked of [false, true]) {
    const path = join(folder, `${asked}.ts`);
    const stream = await readFile(
      await makeClip(path, pattern(0.4, 25, asked ? '64x48' : '48x64')),
    );
    const form = () => wanted(Uint8Array.from(stream), { output_format: 'mp4' });
    if (asked) assert.is((await http.post('/v1/upscale/estimate', form())).status, 200);
    const { status, data } = await post(form());
    assert.equal([status, data.input.content_type, data.input.frames], [202, 'video/mp2t', 10]);
    assert.is(data.input.bytes, stream.length);
    const [kept = ''] = readdirSync(join(dir, 'inputs')).filter((name) => name.includes(data.id));
    assert.is((await identify(join(dir, 'inputs', kept))).mime, 'video/matroska');
    assert.is((await http.post(`/v1/jobs/${data.id}/cancel`)).status, 200);
  }
});

test('a wait that is over before the job ends in 202', async () => {
  const started = Date.now();
  const answer = await post(wanted(await fresh()), { prefer: 'wait=1' });
  assert.is(answer.status, 202);
  assert.is(answer.headers['preference-applied'], 'wait=1');
  assert.ok(Date.now() - started >= 1000);
});

test('a caller that hangs up while it waits keeps its job', async () => {
  const hangUp = new AbortController();
  const waiting = http.post('/v1/upscale', wanted(await fresh()), { signal: hangUp.signal });
  await api.untilWaiting(1);
  hangUp.abort();
  await waiting.then(
    () => assert.unreachable(),
    () => undefined,
  );
  // The next test counts those who wait.
  await api.untilWaiting(0);
  const { data } = await http.get('/v1/jobs?status=queued&limit=1');
  assert.is(data.data.length, 1);
});

test('identical requests at once make one job', async () => {
  const file = await fresh();
  const answers = await Promise.all([1, 2, 3].map(() => post(wanted(file))));
  assert.is(new Set(answers.map(({ data }) => data.id)).size, 1);
});

test('media named by a URL is fetched, its kind told by its content', async () => {
  for (const name of ['image_url', 'video_url']) {
    const { status, data } = await post({ ...photo, [name]: `${mediaUrl}?${name}` });
    assert.is(status, 202, JSON.stringify(data));
    assert.equal([data.input.kind, data.input.size], ['image', '5x3']);
  }
});

test('an upload is usable by its URL, as often as wanted, and by no other account', async () => {
  const form = new FormData();
  form.append('file', new Blob([await fresh()]), 'a.png');
  const upload = await http.post('/v1/uploads', form);
  assert.is(upload.status, 201, JSON.stringify(upload.data));
  assert.equal(Object.keys(upload.data).sort(), [
    ...['bytes', 'expires_at', 'id', 'kind', 'sha256', 'url'],
  ]);
  assert.equal((await http.get(`/v1/uploads/${upload.data.id}`)).data, upload.data);
  assert.equal((await http.get('/v1/uploads?limit=1')).data.data, [upload.data]);
  const request = { ...photo, image_url: upload.data.url };
  const first = await post(request);
  assert.is(first.status, 202);
  assert.is((await post({ ...request, scale: 4 })).data.input.sha256, upload.data.sha256);
  const other = await api.caller();
  const unknown = await post(request, respondAsync, other.http);
  assert.is(refused(unknown, 422, 'upload_not_found').retryable, false);
  refused(await other.http.get(`/v1/uploads/${upload.data.id}`), 404, 'not_found');
});

test('an upload of what is no media is refused', async () => {
  const form = new FormData();
  form.append('file', new Blob(['hello there']), 'a.png');
  const problem = refused(await http.post('/v1/uploads', form), 415, 'unsupported_media_type');
  assert.equal(pointers(problem), ['/file']);
});

test('faults of the request are told before anything is fetched', async () => {
  answerOnce = () => assert.unreachable('it was fetched');
  const problem = refused(
    await post({ image_url: mediaUrl, scale: 3, x: 1 }),
    422,
    'validation_failed',
  );
  assert.equal(pointers(problem).sort(), ['/model', '/scale', '/x']);
  answerOnce = undefined;
});

test('a private address is not fetched', async () => {
  for (const url of ['http://127.0.0.1:1/a.png', 'http://169.254.169.254/', 'http://[::1]/a']) {
    refused(await post({ ...photo, image_url: url }), 422, 'url_not_allowed');
  }
});

test('what cannot be fetched is told with the reason', async () => {
  answerOnce = (_, response) => response.writeHead(404).end();
  const gone = await post({ ...photo, image_url: mediaUrl });
  assert.match(refused(gone, 422, 'url_fetch_failed').detail, '404');
});

test('content decides, whatever name it came under', async () => {
  refused(await post(wanted(Uint8Array.from(Buffer.from('text')))), 415, 'unsupported_media_type');
  refused(await post(wanted(new Uint8Array())), 415, 'unsupported_media_type');
  const half = Uint8Array.from(small.subarray(0, 20));
  const cut = await post(wanted(half));
  assert.ok([415, 422].includes(cut.status), JSON.stringify(cut.data));
});

test('media beyond the limits is refused by what its header says', async () => {
  refused(await post(wanted(Uint8Array.from(await pngOf(200, 100)))), 413, 'resolution_too_large');
  const wide = wanted(Uint8Array.from(await pngOf(90, 4)), { scale: '8' });
  refused(await post(wide), 413, 'output_too_large');
});

test('options that do not fit the content are faults', async () => {
  const video = wanted(await fresh(), { output_format: 'mp4' });
  const problem = refused(await post(video), 422, 'validation_failed');
  assert.equal(pointers(problem), ['/output_format']);
});

test('a model that is not ready is unavailable for now', async () => {
  const answer = await post(wanted(await fresh(), { model: 'detail' }));
  assert.is(refused(answer, 503, 'model_unavailable').retryable, true);
  assert.ok(Number(answer.headers['retry-after']) > 0);
});

test('without credits the price and what is there are told', async () => {
  const poor = await api.caller({ credits: 0 });
  const answer = await post(wanted(await fresh()), respondAsync, poor.http);
  const problem = refused(answer, 402, 'insufficient_credits');
  assert.equal([problem.required_credits, problem.available_credits], [1, 0]);
});

test('more jobs waiting than an account may have are refused', async () => {
  const busy = await api.caller();
  for (let at = 0; at < 5; at += 1) {
    assert.is((await post(wanted(await fresh()), respondAsync, busy.http)).status, 202);
  }
  const over = await post(wanted(await fresh()), respondAsync, busy.http);
  refused(over, 429, 'concurrency_limited');
});

test('the same request under an idempotency key makes one job', async () => {
  const file = await fresh();
  const keyed = { ...respondAsync, 'idempotency-key': 'job-1' };
  const first = await post(wanted(file), keyed);
  assert.is(first.status, 202);
  assert.is(first.headers['idempotent-replayed'], undefined);
  const again = await post(wanted(file), keyed);
  assert.equal([again.status, again.data.id], [202, first.data.id]);
  assert.is(again.headers['idempotent-replayed'], 'true');
  refused(await post(wanted(await fresh()), keyed), 422, 'idempotency_key_reused');
  refused(await post(wanted(file, { scale: '4' }), keyed), 422, 'idempotency_key_reused');
});

test('while the first request has no job yet, its idempotency key is in progress', async () => {
  const asked = new Promise<() => void>((resolve) => {
    answerOnce = (_, response) => resolve(() => response.end(small));
  });
  const keyed = { ...respondAsync, 'idempotency-key': 'slow' };
  const request = { ...photo, image_url: `${mediaUrl}?slow` };
  const first = post(request, keyed);
  const go = await asked;
  refused(await post(request, keyed), 409, 'idempotency_in_progress');
  go();
  assert.is((await first).status, 202);
});

test('a refusal does not use an idempotency key up', async () => {
  const keyed = { ...respondAsync, 'idempotency-key': 'again' };
  const text = Uint8Array.from(Buffer.from('text'));
  refused(await post(wanted(text), keyed), 415, 'unsupported_media_type');
  assert.is((await post(wanted(await fresh()), keyed)).status, 202);
});

test('an idempotency key that cannot be one is refused', async () => {
  for (const [key, told] of [
    ['', '0 characters'],
    ['x'.repeat(256), '256 characters'],
    ['caf\u00e9', '"caf\u00e9"'],
  ] as const) {
    const headers = { ...respondAsync, 'idempotency-key': key };
    const answer = await post(wanted(await fresh()), headers);
    refused(answer, 400, 'invalid_idempotency_key');
    assert.match(answer.data.detail, `ASCII characters; got ${told}.`);
  }
  const headers = { ...respondAsync, 'idempotency-key': `~ ${'x'.repeat(252)}!` };
  assert.is((await post(wanted(await fresh()), headers)).status, 202);
});

test('the same upload under an idempotency key is kept once', async () => {
  const file = await fresh();
  const upload = () => {
    const form = new FormData();
    form.append('file', new Blob([file]), 'a.png');
    return http.post('/v1/uploads', form, { headers: { 'idempotency-key': 'up' } });
  };
  const first = await upload();
  const again = await upload();
  assert.equal(again.data, first.data);
  assert.is(again.headers['idempotent-replayed'], 'true');
});

test('a job is listed, filtered, paged, cancelled and erased by its account alone', async () => {
  const mine = await api.caller();
  const ids: string[] = [];
  for (let at = 0; at < 3; at += 1) {
    ids.unshift((await post(wanted(await fresh()), respondAsync, mine.http)).data.id);
  }
  const page = (await mine.http.get('/v1/jobs?limit=2')).data;
  assert.equal([page.data.map(({ id }: Job) => id), page.has_more], [ids.slice(0, 2), true]);
  const next = (await mine.http.get(`/v1/jobs?limit=2&starting_after=${ids[1]}`)).data;
  assert.equal([next.data.map(({ id }: Job) => id), next.has_more], [ids.slice(2), false]);

  assert.is((await mine.http.post(`/v1/jobs/${ids[0]}/cancel`)).data.status, 'canceled');
  assert.is((await mine.http.post(`/v1/jobs/${ids[0]}/cancel`)).data.status, 'canceled');
  assert.is((await mine.http.delete(`/v1/jobs/${ids[1]}`)).data.status, 'canceled');
  const queued = (await mine.http.get('/v1/jobs?status=queued')).data;
  assert.equal(
    queued.data.map(({ id }: Job) => id),
    ids.slice(2),
  );

  for (const path of ['', '/events', '/result']) {
    refused(await http.get(`/v1/jobs/${ids[2]}${path}`), 404, 'not_found');
  }
  refused(await http.post(`/v1/jobs/${ids[2]}/cancel`), 404, 'not_found');
  refused(await http.delete(`/v1/jobs/${ids[2]}`), 404, 'not_found');
});

test('the job of a request that was given up is found by its key, by its account alone', async () => {
  const mine = await api.caller();
  const headers = { ...respondAsync, 'idempotency-key': 'given up' };
  const { id } = (await post(wanted(await fresh()), headers, mine.http)).data;
  await post(wanted(await fresh()), respondAsync, mine.http);
  const byKey = async (caller: typeof http) =>
    (await caller.get('/v1/jobs?idempotency_key=given%20up')).data.data.map(({ id }: Job) => id);
  assert.equal([await byKey(mine.http), await byKey(http)], [[id], []]);
  refused(await mine.http.get('/v1/jobs?idempotency_key='), 422, 'validation_failed');
});

test('all streams of a job share one reading of it for each change, and get the same', async () => {
  const { id } = (await post(wanted(await fresh()))).data;
  const { jobs, stores } = api.parts;
  const streams = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { data } = await http.get(`/v1/jobs/${id}/events`, { responseType: 'stream' });
      return data.setEncoding('utf8')[Symbol.asyncIterator]();
    }),
  );
  const next = () => Promise.all(streams.map(async (events) => (await events.next()).value));
  await next();
  const { get } = jobs;
  let readings = 0;
  jobs.get = (...asked) => {
    readings += 1;
    return get(...asked);
  };
  try {
    const said = JSON.stringify({ id, event: 'progress' });
    await stores.redis.publish(`${stores.prefix}:events`, said);
    const told = (await next()).map((event) => /^data: .+$/m.exec(event)?.[0]);
    assert.is(readings, 1);
    assert.match(told[0] ?? '', `"id":"${id}"`);
    assert.is(new Set(told).size, 1);
  } finally {
    jobs.get = get;
  }
  await http.post(`/v1/jobs/${id}/cancel`);
  for (const last of await next()) assert.match(last, 'event: job.canceled');
});

test('a list is refused for what it does not know', async () => {
  const problem = refused(
    await http.get('/v1/jobs?status=done&limit=0&x=1'),
    422,
    'validation_failed',
  );
  assert.equal(pointers(problem).sort(), ['/limit', '/status', '/x']);
});

test('a server that shuts down makes no new jobs, answers the rest, and lets nobody wait', async () => {
  const waiting = post(wanted(await fresh()), {});
  await api.untilWaiting(1);
  api.draining.abort();
  assert.is((await waiting).status, 202);
  const answer = await post(wanted(await fresh()));
  refused(answer, 503, 'draining');
  assert.ok(Number(answer.headers['retry-after']) > 0);
  assert.is((await http.get('/v1/jobs')).status, 200);
  const missing: string[] = (await http.get('/readyz')).data.missing;
  assert.ok(missing.includes('the server is shutting down'));
});

test.after(async () => {
  media.closeAllConnections();
  media.close();
  await api.close();
});
test.run();
