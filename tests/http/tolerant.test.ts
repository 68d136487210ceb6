import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Job } from '../../src/contract/job.ts';
import { Failure } from '../../src/errors.ts';
import { UpscaleResult } from '../../src/operations/upscale/request.ts';

import { makeClip, tone } from '../real/clip.ts';
import { freePorts } from '../real/ports.ts';
import { tempDir } from '../real/run.ts';
import { until } from '../real/until.ts';
import { realApi } from './api.ts';
import { scriptedWorker } from './scripted-worker.ts';
import { pointers, refused } from './told.ts';

const test = suite('requests spelled in more than one way');
const [elsewhere = 0] = await freePorts(1);
const api = await realApi({
  FETCH_ALLOW_HOSTS: `127.0.0.1:${elsewhere}`,
  RATE_CREATE_PER_MINUTE: '10000',
});
const caller = await api.caller();
const { http } = caller;

const worker = await scriptedWorker(api.parts, (target) => drawn(8, '#135').toFile(target));
test.before.each(() => worker.does());
test.after.each(api.nothingLeft);

const drawn = (side: number, background: string) =>
  sharp({ create: { width: side, height: side, channels: 3, background } }).png();
let last = 0;
/** A picture that was not sent before. */
const fresh = async (): Promise<Uint8Array<ArrayBuffer>> => {
  last += 1;
  return Uint8Array.from(await drawn(4 + last, '#48c').toBuffer());
};
const photo = { model: 'photo', scale: 2 };
const formOf = (fields: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value]), 'file');
  }
  return form;
};
const upscale = (body: unknown, by = http) => by.post('/v1/upscale', body);
const made = async () =>
  UpscaleResult.parse(
    (await upscale(formOf({ model: 'photo', scale: '2', image: await fresh() }))).data,
  );

test('the same work in two spellings is the same work', async () => {
  const image = await fresh();
  const first = await upscale(
    formOf({ model: 'photo', scale: '2', output_format: 'jpeg', output: '{"quality":80}', image }),
  );
  assert.equal([first.status, first.data.cached], [200, false], JSON.stringify(first.data));
  const inBrackets = await upscale(
    formOf({ model: 'photo', scale: '2', output_format: 'JPG', 'output[quality]': '80', image }),
  );
  const { data } = await http.post('/v1/uploads', formOf({ file: image }));
  const inJson = await upscale({
    model: 'photo',
    scale: '2',
    output_format: 'Jpeg',
    image_url: data.url,
    video_url: null,
    output: { quality: '80', lossless: null },
  });
  for (const again of [inBrackets, inJson])
    assert.equal([again.data.cached, again.data.sha256], [true, first.data.sha256]);
});

test('bytes without a file name are a file', async () => {
  const image = Buffer.from(await fresh());
  const head = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n`;
  const body = Buffer.concat([
    Buffer.from(`${head('model')}\r\nphoto\r\n${head('scale')}\r\n2\r\n`),
    Buffer.from(`${head('image')}Content-Type: application/octet-stream\r\n\r\n`),
    ...[image, Buffer.from('\r\n--b--\r\n')],
  ]);
  const type = { 'content-type': 'multipart/form-data; boundary=b' };
  const { status, data } = await http.post('/v1/upscale/estimate', body, { headers: type });
  assert.is(status, 200, JSON.stringify(data));
});

test('what was not filled in in a form is left out, but an empty file with a name is a file', async () => {
  const image = await fresh();
  const form = (name: string) => {
    const body = formOf({
      model: 'photo',
      scale: '2',
      image,
      video_url: '',
      webhook_url: '',
      metadata: '',
    });
    body.append('video', new Blob([]), name);
    body.append('image', new Blob([]), ''); // a second field of the form, for the same part
    return body;
  };
  const { status, data } = await upscale(form(''));
  assert.is(status, 200, JSON.stringify(data));
  assert.equal(pointers(refused(await upscale(form('a.mp4')), 422, 'validation_failed')), [
    '/image',
    '/video',
  ]);
});

test('text where a file belongs is refused by what it is', async () => {
  const form = formOf({ model: 'photo', scale: '2', image: 'https://example.com/a.png' });
  const problem = refused(await upscale(form), 415, 'unsupported_media_type');
  assert.match(problem.detail, /got text, the address of a file: it belongs in image_url/);
});

test('an object that comes whole and in brackets is refused', async () => {
  const form = formOf({
    model: 'photo',
    scale: '2',
    image: await fresh(),
    output: '{"quality":80}',
    'output[quality]': '80',
  });
  const problem = refused(await upscale(form), 422, 'validation_failed');
  assert.equal(pointers(problem), ['/output']);
});

test('a portrait can be given as an image; with a video beside it both are refused', async () => {
  const voice = join(tempDir('tolerant'), 'voice.wav');
  await makeClip(voice, tone(1), ['-ac', '1', '-ar', '8000']);
  const audio = Uint8Array.from(await readFile(voice));
  const image = Uint8Array.from(await drawn(100, '#a86').toBuffer());
  const { data } = await http.post('/v1/uploads', formOf({ file: image }));
  const sound = await http.post('/v1/uploads', formOf({ file: audio }));
  const estimate = (body: unknown) => http.post('/v1/lipsync/estimate', body);
  const byUrl = { model: 'fast', image_url: data.url, audio_url: sound.data.url };
  for (const body of [byUrl, formOf({ model: 'fast', image, audio })])
    assert.is((await estimate(body)).status, 200);
  const both = await estimate({ ...byUrl, video_url: data.url });
  assert.equal(pointers(refused(both, 422, 'validation_failed')), ['/video_url', '/image_url']);
});

test('a result is the input of the next request: by its link, its address and the id of its job', async () => {
  const first = await made();
  const { id, output_url } = first;
  const requests = [output_url, `${api.url}/v1/jobs/${id}/result`, id];
  const answers = await Promise.all(
    requests.map((image_url) => http.post('/v1/upscale/estimate', { ...photo, image_url })),
  );
  assert.equal(
    answers.map(({ data }) => data.input_size),
    ['8x8', '8x8', '8x8'],
  );
  const next = await upscale({ ...photo, scale: 4, video_url: id });
  assert.equal([next.status, next.data.input_size], [200, '8x8'], JSON.stringify(next.data));
  const job = Job.parse((await http.get(`/v1/jobs/${next.data.id}`)).data);
  assert.is(job.input.sha256, first.sha256);
  const cached = await upscale({ ...photo, scale: 4, image_url: output_url });
  assert.is(cached.data.cached, true);
});

test("another account's job is told as an unknown one is, even by a link that is right", async () => {
  const { id, output_url } = await made();
  const other = await api.caller();
  const askedBy = async (by: typeof http, image_url: string) =>
    refused(await upscale({ ...photo, image_url }, by), 404, 'not_found');
  const unknown = await askedBy(http, 'job_0000000000000000');
  assert.equal(pointers(unknown), ['/image_url']);
  const strip = (detail: string) => detail.replace(/job_\w+/, 'JOB');
  for (const url of [id, output_url])
    assert.is(strip((await askedBy(other.http, url)).detail), strip(unknown.detail));
});

test('a link with a wrong signature, or without a valid time, is refused', async () => {
  const { output_url, id } = await made();
  const forged = [
    output_url.replace(/signature=.{4}/, 'signature=AAAA'),
    output_url.replace(/expires=\d/, 'expires=9'),
    `${api.url}/v1/jobs/${id}/result?signature=`,
  ];
  for (const image_url of forged) refused(await upscale({ ...photo, image_url }), 404, 'not_found');
  const past = api.parts.links.url('result', id, Date.now() - 60_000);
  refused(await upscale({ ...photo, image_url: past }), 410, 'result_expired');
});

test('a job without a result is no input: not finished, cancelled, failed, erased', async () => {
  const begin = async () => {
    const form = formOf({ model: 'photo', scale: '2', image: await fresh() });
    const { data } = await http.post('/v1/upscale', form, { headers: { prefer: 'respond-async' } });
    return Job.parse(data).id;
  };
  const go = worker.held();
  const running = await begin();
  const early = refused(await upscale({ ...photo, image_url: running }), 409, 'result_not_ready');
  assert.equal(pointers(early), ['/image_url']);
  await http.post(`/v1/jobs/${running}/cancel`);
  go();
  await until(
    'it is cancelled',
    async () => (await http.get(`/v1/jobs/${running}`)).data.status === 'canceled',
  );
  refused(await upscale({ ...photo, image_url: running }), 409, 'job_canceled');

  worker.does();
  const erased = await made();
  await http.delete(`/v1/jobs/${erased.id}`);
  refused(await upscale({ ...photo, image_url: erased.id }), 410, 'result_expired');
  refused(await upscale({ ...photo, image_url: erased.output_url }), 410, 'result_expired');

  worker.does(async () => {
    throw new Failure('media_unreadable', { reason: 'as the test says' });
  });
  const failing = formOf({ model: 'photo', scale: '2', image: await fresh() });
  refused(await upscale(failing), 422, 'media_unreadable');
  const failed = (await http.get('/v1/jobs?status=failed')).data.data[0].id;
  const problem = refused(await upscale({ ...photo, image_url: failed }), 422, 'validation_failed');
  assert.match(problem.errors?.[0]?.detail ?? '', 'failed with media_unreadable');
});

test('an address of another server that looks like ours is fetched like any other', async () => {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    asked.push(request.url ?? '');
    response.end(await fresh());
  });
  server.listen(elsewhere, '127.0.0.1');
  await once(server, 'listening');
  const { output_url } = await made();
  const { pathname, search } = new URL(output_url);
  const image_url = `http://127.0.0.1:${elsewhere}${pathname}${search}`;
  const { status } = await http.post('/v1/upscale/estimate', { ...photo, image_url });
  assert.equal([status, asked], [200, [`${pathname}${search}`]]);
  server.closeAllConnections();
  server.close();
});

test.after(async () => {
  await worker.close();
  await api.close();
});
test.run();
