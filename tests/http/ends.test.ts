/** How a job's end is told to who waits for it and to who asks for its result, and how callers leave a shared job. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import axios from 'axios';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import { startWorker } from '../../src/jobs/run/worker.ts';
import { enhanceBy, pictureOf } from '../jobs/rig.ts';
import { until } from '../real/until.ts';
import { realApi } from './api.ts';
import { pointers, refused } from './told.ts';

const test = suite('the end of a job');
const api = await realApi({ RATE_CREATE_PER_MINUTE: '10000', RATE_READ_PER_MINUTE: '10000' });
const { http } = await api.caller();

/** Results of 1000 bytes, made when the gate opens. */
let gate = new AbortController();
let failure: Failure | null = null;
const worker = await startWorker({
  ...api.parts,
  enhance: enhanceBy(async (_, { target }, __, signal) => {
    const ended = AbortSignal.any([gate.signal, signal]);
    // A cancel may have come before the work begins.
    if (!ended.aborted) await once(ended, 'abort');
    signal.throwIfAborted();
    if (failure) throw failure;
    await writeFile(target, randomBytes(1000));
    return pictureOf(8);
  }),
});
test.before.each(() => {
  gate = new AbortController();
  failure = null;
});
test.after.each(() => gate.abort());

let last = 0;
/** A request for a picture of its own. */
const request = async () => {
  last += 1;
  const file = await sharp({
    create: { width: 4, height: 4, channels: 3, background: { r: last, g: 2, b: 3 } },
  })
    .png()
    .toBuffer();
  return (headers: Record<string, string> = {}) => {
    const body = new FormData();
    body.append('model', 'photo');
    body.append('scale', '2');
    body.append('image', new Blob([Uint8Array.from(file)]), 'a.png');
    return http.post('/v1/upscale', body, { headers });
  };
};
const later = { prefer: 'respond-async' };
const statusOf = async (id: string) => (await http.get(`/v1/jobs/${id}`)).data.status;
const resultFileOf = async (id: string) => {
  const { outcome } = (await api.parts.jobs.find(id)) ?? {};
  return outcome?.file ?? '';
};
const finished = async () => {
  gate.abort();
  const { data } = await (await request())();
  assert.is(data.status, 'success', JSON.stringify(data));
  return data;
};

test('a cancelled job is told as that to who waits and to who asks for its result', async () => {
  const before = (await http.get('/v1/credits')).data;
  const ask = await request();
  const { id } = (await ask(later)).data;
  const waiting = ask();
  await until('two callers share it', async () => (await holdersOf(id)) === 2);
  for (let count = 0; count < 2; count += 1) await http.post(`/v1/jobs/${id}/cancel`);
  const problem = refused(await waiting, 409, 'job_canceled');
  assert.is(problem.retryable, false);
  refused(await http.get(`/v1/jobs/${id}/result`), 409, 'job_canceled');
  assert.is((await http.get(`/v1/jobs/${id}`)).data.error, null);
  const { balance, held } = (await http.get('/v1/credits')).data;
  assert.equal([balance, held], [before.balance, before.held]);
});

test('a failed job tells its own error instead of a result', async () => {
  failure = new Failure('media_unreadable', { reason: 'the second half is missing' });
  gate.abort();
  const problem = refused(await (await request())(), 422, 'media_unreadable');
  const [job] = (await http.get('/v1/jobs?limit=1')).data.data;
  const again = refused(await http.get(`/v1/jobs/${job.id}/result`), 422, 'media_unreadable');
  assert.equal([again.detail, again.retryable], [problem.detail, false]);
  assert.equal([job.error.detail, job.error.retryable], [problem.detail, false]);
});

test('an unfinished job has no result yet, which may be asked for again', async () => {
  const { id } = (await (await request())(later)).data;
  const answer = await http.get(`/v1/jobs/${id}/result`);
  assert.is(refused(answer, 409, 'result_not_ready').retryable, true);
  assert.is(answer.headers['retry-after'], '5');
});

test('a result whose file is gone has expired: for its link, its key and a repeated request', async () => {
  const ask = await request();
  gate.abort();
  const key = { 'idempotency-key': 'gone' };
  const { id, output_url } = (await ask(key)).data;
  await api.parts.files.removeResult(await resultFileOf(id));
  assert.is(refused(await ask(key), 410, 'result_expired').retryable, false);
  refused(await http.get(`/v1/jobs/${id}/result`), 410, 'result_expired');
  refused(await api.client().get(output_url), 410, 'result_expired');
});

test('a result that is gone before its caller was answered has expired', async () => {
  const waiting = (await request())();
  const running = async () => (await http.get('/v1/jobs?status=processing')).data.data.length;
  await until('it runs', async () => (await running()) === 1);
  const { hasResult } = api.parts.files;
  // The file goes between the end of the job and the look at it.
  api.parts.files.hasResult = async (name) => {
    await api.parts.files.removeResult(name);
    return hasResult(name);
  };
  try {
    gate.abort();
    refused(await waiting, 410, 'result_expired');
  } finally {
    api.parts.files.hasResult = hasResult;
  }
});

test('a range outside of the result is a problem that tells its size', async () => {
  const { output_url, sha256 } = await finished();
  const answer = await axios.get(output_url, {
    headers: { range: 'bytes=1000-' },
    validateStatus: () => true,
  });
  assert.is(refused(answer, 416, 'range_not_satisfiable').retryable, false);
  assert.equal(
    [answer.headers['content-range'], answer.headers['cache-control']],
    ['bytes */1000', 'private, no-store'],
  );
  assert.is(answer.headers['content-disposition'], undefined);
  const headers = { range: 'bytes=1000-', 'if-none-match': `"${sha256}"` };
  const known = await axios.get(output_url, { headers, validateStatus: () => true });
  assert.is(known.status, 304);
});

test('the document tells the problem of a range', async () => {
  const { paths } = (await http.get('/openapi.json')).data;
  const answer = paths['/v1/jobs/{id}/result'].get.responses['416'];
  assert.is(answer.description, 'range_not_satisfiable');
  assert.ok(answer.content['application/problem+json']);
});

test('a list does not go on after what is not in it', async () => {
  const { id } = await finished();
  const other = await api.caller();
  const [{ id: entry }] = (await http.get('/v1/credits/ledger?limit=1')).data.data;
  for (const path of ['/v1/jobs', '/v1/credits/ledger']) {
    const own = path === '/v1/jobs' ? id : entry;
    assert.is((await http.get(`${path}?starting_after=${own}`)).status, 200);
    const answer = await other.http.get(`${path}?starting_after=${own}`);
    assert.equal(pointers(refused(answer, 422, 'validation_failed')), ['/starting_after']);
  }
  refused(await http.get('/v1/jobs?starting_after=job_none'), 422, 'validation_failed');
  refused(await http.get('/v1/credits/ledger?starting_after=1-1'), 422, 'validation_failed');
});

const holdersOf = (id: string) =>
  api.parts.stores.redis.scard(`${api.parts.stores.prefix}:holders:${id}`);

test('one caller’s cancel leaves a shared job to the others, who get its result', async () => {
  const ask = await request();
  const { id } = (await ask(later)).data;
  const waiting = ask();
  await until('two callers share it', async () => (await holdersOf(id)) === 2);
  const { data } = await http.post(`/v1/jobs/${id}/cancel`);
  assert.ok(['queued', 'processing'].includes(data.status), data.status);
  gate.abort();
  assert.equal([(await waiting).status, await statusOf(id)], [200, 'succeeded']);
});

test('a cancel that is repeated under its idempotency key leaves once', async () => {
  const ask = await request();
  const { id } = (await ask(later)).data;
  assert.is((await ask(later)).data.id, id);
  const cancel = () =>
    http.post(`/v1/jobs/${id}/cancel`, undefined, { headers: { 'idempotency-key': 'leave' } });
  assert.is((await cancel()).headers['idempotent-replayed'], undefined);
  const again = await cancel();
  assert.is(again.headers['idempotent-replayed'], 'true');
  assert.ok(['queued', 'processing'].includes(again.data.status), again.data.status);
  await http.post(`/v1/jobs/${id}/cancel`);
  await until('it is cancelled', async () => (await statusOf(id)) === 'canceled');
});

test('a request that is repeated under its idempotency key is one caller', async () => {
  const ask = await request();
  const keyed = { ...later, 'idempotency-key': 'one caller' };
  const { id } = (await ask(keyed)).data;
  assert.is((await ask(keyed)).data.id, id);
  await http.post(`/v1/jobs/${id}/cancel`);
  await until('it is cancelled', async () => (await statusOf(id)) === 'canceled');
});

test('erasing a shared job leaves it to the others; the last one erases it', async () => {
  const ask = await request();
  const { id } = (await ask(later)).data;
  await ask(later);
  const kept = await http.delete(`/v1/jobs/${id}`);
  assert.ok(['queued', 'processing'].includes(kept.data.status), kept.data.status);
  await http.delete(`/v1/jobs/${id}`);
  await until('it is cancelled', async () => (await statusOf(id)) === 'canceled');
});

test.after(async () => {
  gate.abort();
  await worker.close();
  await api.close();
});
test.run();
