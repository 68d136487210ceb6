import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import axios from 'axios';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import { UpscaleResult } from '../../src/operations/upscale/request.ts';
import { realApi } from './api.ts';
import { scriptedWorker } from './scripted-worker.ts';
import { refused } from './told.ts';

const test = suite('results');
const api = await realApi({ RATE_CREATE_PER_MINUTE: '10000', RATE_READ_PER_MINUTE: '10000' });
const caller = await api.caller();
const { http } = caller;

const bytes = randomBytes(100_000);
const worker = await scriptedWorker(api.parts, (target) => writeFile(target, bytes));

let last = 0;
const form = async (same?: number): Promise<FormData> => {
  const [r, g] = same === undefined ? [++last % 256, 0] : [same, 1];
  const file = await sharp({
    create: { width: 4, height: 4, channels: 3, background: { r, g, b: 7 } },
  })
    .png()
    .toBuffer();
  const body = new FormData();
  body.append('model', 'photo');
  body.append('scale', '2');
  body.append('image', new Blob([Uint8Array.from(file)]), 'a.png');
  return body;
};
const finished = async () =>
  UpscaleResult.parse((await http.post('/v1/upscale', await form())).data);
const download = (url: string, headers: Record<string, string> = {}) =>
  axios.get(url, { headers, responseType: 'arraybuffer', validateStatus: () => true });

/** Holds the work of the next job until the returned function is called, or the test is over. */
const held = (): (() => void) => {
  go = worker.held();
  return go;
};
let go = () => {};
test.after.each(() => go());

test.before.each(() => worker.does());

test('a job that ends in time is answered with its result and paid', async () => {
  const { status, data } = await http.post('/v1/upscale', await form());
  assert.is(status, 200, JSON.stringify(data));
  const result = UpscaleResult.parse(data);
  assert.equal([result.input_size, result.output_size], ['4x4', '8x8']);
  assert.equal([result.credits_used, result.cached, result.bytes], [1, false, bytes.length]);
});

test('the same again is cached and free', async () => {
  const first = (await http.post('/v1/upscale', await form(9))).data;
  const again = (await http.post('/v1/upscale', await form(9))).data;
  assert.equal([again.cached, again.credits_used, again.sha256], [true, 0, first.sha256]);
  const job = await http.post('/v1/upscale', await form(9), {
    headers: { prefer: 'respond-async' },
  });
  assert.equal([job.status, job.data.status], [202, 'succeeded']);
});

test('who joins a running job waits with its maker and pays nothing', async () => {
  const go = held();
  const body = await Promise.all([form(8), form(8)]);
  const asked = body.map((one) => http.post('/v1/upscale', one));
  await api.untilWaiting(2);
  go();
  const answers = await Promise.all(asked);
  assert.equal(answers.map(({ data }) => data.credits_used).sort(), [0, 1]);
  assert.is(new Set(answers.map(({ data }) => data.id)).size, 1);
});

test('a repeated request waits for the job of the first and gets the same answer', async () => {
  const go = held();
  const body = await Promise.all([form(7), form(7)]);
  const headers = { 'idempotency-key': 'same' };
  const first = http.post('/v1/upscale', body[0], { headers });
  await api.untilWaiting(1);
  const second = http.post('/v1/upscale', body[1], { headers });
  await api.untilWaiting(2);
  go();
  const again = await second;
  assert.is(again.headers['idempotent-replayed'], 'true');
  assert.equal(again.data, (await first).data);
});

test('a failed job is told to its waiting caller as it is told in the job', async () => {
  worker.does(async () => {
    throw new Failure('media_unreadable', { reason: 'the second half is missing' });
  });
  const problem = refused(await http.post('/v1/upscale', await form()), 422, 'media_unreadable');
  const [job] = (await http.get('/v1/jobs?limit=1')).data.data;
  assert.is(job.status, 'failed');
  assert.is(job.error.detail, problem.detail);
  refused(await http.get(`/v1/jobs/${job.id}/result`), 422, 'media_unreadable');
});

test('the link needs no key and gives the whole result', async () => {
  const { output_url, sha256, id } = await finished();
  const { status, data, headers } = await download(output_url);
  assert.is(status, 200);
  assert.ok(bytes.equals(data));
  assert.is(headers['content-type'], 'image/png');
  assert.is(headers['content-length'], String(bytes.length));
  assert.is(headers['content-disposition'], `attachment; filename="photo-2x-${id}.png"`);
  const named = await download(`${output_url}&name=${encodeURIComponent('../日 "x".exe')}`);
  assert.is(
    named.headers['content-disposition'],
    `attachment; filename="? \\"x\\".exe-photo-2x.png"; filename*=UTF-8''%E6%97%A5%20%22x%22.exe-photo-2x.png`,
  );
  refused(await http.get(`/v1/jobs/${id}/result?name=`), 422, 'validation_failed');
  assert.is(headers['accept-ranges'], 'bytes');
  assert.is(headers.etag, `"${sha256}"`);
  assert.match(String(headers['cache-control']), /private.*max-age=86\d{3}/);
});

test('a part of the result, its end and the rest from somewhere are had by range', async () => {
  const { output_url } = await finished();
  const cases: readonly [string, number, number][] = [
    ['bytes=0-9', 0, 10],
    ['bytes=99990-', 99_990, 100_000],
    ['bytes=-5', 99_995, 100_000],
    ['bytes=99999-200000', 99_999, 100_000],
  ];
  for (const [range, from, to] of cases) {
    const { status, data, headers } = await download(output_url, { range });
    assert.is(status, 206);
    assert.is(headers['content-range'], `bytes ${from}-${to - 1}/100000`);
    assert.ok(bytes.subarray(from, to).equals(data), range);
  }
});

test('a range outside of the result is told its size, one that is none gets the whole', async () => {
  const { output_url } = await finished();
  const outside = await download(output_url, { range: 'bytes=100000-' });
  assert.equal([outside.status, outside.headers['content-range']], [416, 'bytes */100000']);
  for (const range of ['bytes=a-b', 'lines=1-2', 'bytes=0-1,50-60']) {
    assert.is((await download(output_url, { range })).status, 200, range);
  }
});

test('a range holds only for the result it was begun with', async () => {
  const { output_url, sha256 } = await finished();
  const range = 'bytes=0-9';
  assert.is((await download(output_url, { range, 'if-range': `"${sha256}"` })).status, 206);
  assert.is((await download(output_url, { range, 'if-range': '"other"' })).status, 200);
});

test('what the caller has already is not sent again', async () => {
  const { output_url, sha256 } = await finished();
  const { status, data } = await download(output_url, { 'if-none-match': `"${sha256}"` });
  assert.equal([status, data.length], [304, 0]);
});

test('HEAD tells the size and sends nothing', async () => {
  const { output_url } = await finished();
  const { status, data, headers } = await axios.head(output_url);
  assert.equal([status, data, headers['content-length']], [200, '', '100000']);
});

test('without a link the result needs a key of its account', async () => {
  const { id } = await finished();
  const path = `/v1/jobs/${id}/result`;
  const own = await http.get(path, { responseType: 'arraybuffer' });
  assert.ok(bytes.equals(own.data));
  assert.match(String(own.headers['ratelimit-policy']), '"read"');
  refused(await api.client().get(path), 401, 'missing_api_key');
  refused(await (await api.caller()).http.get(path), 404, 'not_found');
});

test('a link that was changed leads nowhere, one that is over says so', async () => {
  const { output_url, id } = await finished();
  const none = api.client();
  const { pathname, searchParams } = new URL(output_url);
  const expires = Number(searchParams.get('expires')) + 60;
  const signature = searchParams.get('signature');
  refused(
    await none.get(`${pathname}?expires=${expires}&signature=${signature}`),
    404,
    'not_found',
  );
  refused(await none.get(`${pathname}?signature=`), 404, 'not_found');
  refused(
    await none.get(api.parts.links.url('result', id, Date.now() - 1000)),
    410,
    'result_expired',
  );
});

test('an erased result is gone for the key and for the link', async () => {
  const { output_url, id } = await finished();
  assert.is((await http.delete(`/v1/jobs/${id}`)).status, 200);
  refused(await http.get(`/v1/jobs/${id}/result`), 410, 'result_expired');
  refused(await api.client().get(output_url), 410, 'result_expired');
});

/** The events of a stream, until it ends. */
const eventsOf = async (id: string, headers: Record<string, string> = {}) => {
  const answer = await http.get(`/v1/jobs/${id}/events`, { headers, responseType: 'text' });
  const events = String(answer.data)
    .split('\n\n')
    .filter((block) => block.startsWith('id: '))
    .map((block) => {
      const [, eventId, event, data] = /^id: (\d+)\nevent: (.+)\ndata: (.+)$/.exec(block) ?? [];
      return { id: Number(eventId), event, job: JSON.parse(data ?? '') };
    });
  return { status: answer.status, type: answer.headers['content-type'], events };
};

test('the events of a job go on to its end, with increasing ids', async () => {
  const go = held();
  const body = await form();
  const { data } = await http.post('/v1/upscale', body, { headers: { prefer: 'respond-async' } });
  const reading = eventsOf(data.id);
  await api.untilWaiting(1);
  go();
  const { status, type, events } = await reading;
  assert.is(status, 200);
  assert.match(String(type), /^text\/event-stream/);
  assert.is(events.at(-1)?.event, 'job.succeeded');
  assert.is(events.at(-1)?.job.result.status, 'success');
  assert.ok(events.length >= 2);
  const ids = events.map(({ id }) => id);
  assert.equal(
    ids,
    [...new Set(ids)].sort((a, b) => a - b),
  );
});

test('who comes back in between gets how the job stands, who has seen the end gets no more', async () => {
  const { id } = await finished();
  const { events } = await eventsOf(id);
  assert.equal(
    events.map(({ event }) => event),
    ['job.succeeded'],
  );
  const end = events[0]?.id ?? 0;
  const before = await eventsOf(id, { 'last-event-id': String(end - 1) });
  assert.equal(
    before.events.map(({ event }) => event),
    ['job.succeeded'],
  );
  assert.is((await eventsOf(id, { 'last-event-id': String(end) })).status, 204);
});

test('the links in a job need no key: to its events while it runs, to its result then', async () => {
  const go = held();
  const body = await form();
  const { data } = await http.post('/v1/upscale', body, { headers: { prefer: 'respond-async' } });
  const none = api.client();
  refused(await none.get(data.urls.get), 401, 'missing_api_key');
  refused(await none.get(data.urls.result), 409, 'result_not_ready');
  const reading = none.get(data.urls.events, { responseType: 'text' });
  await api.untilWaiting(1);
  go();
  const { status, data: events } = await reading;
  assert.is(status, 200);
  assert.match(String(events), /\nevent: job\.succeeded\n/);
  assert.equal(Buffer.from((await download(data.urls.result)).data), bytes);
  assert.is((await http.get(data.urls.get)).data.id, data.id);
});

test('a link to events that is forged, foreign, over or of a result leads to none', async () => {
  const [{ id }, other] = [await finished(), await finished()];
  const none = api.client();
  const { data: job } = await http.get(`/v1/jobs/${id}`);
  const { search } = new URL(job.urls.events);
  refused(await none.get(`/v1/jobs/${other.id}/events${search}`), 404, 'not_found');
  refused(
    await none.get(`/v1/jobs/${id}/events${new URL(job.urls.result).search}`),
    404,
    'not_found',
  );
  refused(await none.get(`/v1/jobs/${id}/events${search}0`), 404, 'not_found');
  refused(await none.get(`/v1/jobs/${id}/events?signature=x`), 404, 'not_found');
  const over = api.parts.links.url('events', id, Date.now() - 1000);
  refused(await none.get(over), 410, 'link_expired');
  refused(await none.get(`/v1/jobs/${id}/events`), 401, 'missing_api_key');
});

test('a caller that leaves the events is forgotten', async () => {
  const go = held();
  const body = await form();
  const { data } = await http.post('/v1/upscale', body, { headers: { prefer: 'respond-async' } });
  const leave = new AbortController();
  const stream = await http.get(`/v1/jobs/${data.id}/events`, {
    responseType: 'stream',
    signal: leave.signal,
  });
  await once(stream.data, 'data');
  await api.untilWaiting(1);
  stream.data.on('error', () => {}); // that it ends early is what the test does
  leave.abort();
  await api.untilWaiting(0);
  go();
  assert.is((await eventsOf(data.id)).events.at(-1)?.event, 'job.succeeded');
});

test('two hundred callers wait for one slow job, and others are answered meanwhile', async () => {
  const go = held();
  const bodies = await Promise.all(Array.from({ length: 200 }, () => form(6)));
  const waiting = Promise.allSettled(bodies.map((body) => http.post('/v1/upscale', body)));
  try {
    await api.untilWaiting(200);
    assert.is((await api.client().get('/healthz')).status, 200);
  } finally {
    go();
  }
  const answers = (await waiting).map((one) => (one.status === 'fulfilled' ? one.value : null));
  assert.ok(answers.every((answer) => answer?.status === 200));
  assert.is(answers.filter((answer) => answer?.data.credits_used > 0).length, 1);
});

test.after(async () => {
  await worker.close();
  await api.close();
});
test.run();
