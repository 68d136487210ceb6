import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { shippedPhoto } from '../real/shipped-photo.ts';
import { realApi } from './api.ts';
import { refused } from './told.ts';

const test = suite('the API as a whole');
const api = await realApi();
const { http } = await api.caller();

/** Sends bytes as they are and answers all that comes back. */
const raw = async (bytes: string): Promise<string> => {
  const socket = connect(api.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(bytes);
  socket.setTimeout(5000, () => socket.destroy(new Error('no answer in time')));
  return text(socket);
};

test('a valid request id is kept, any other is replaced', async () => {
  const idOf = async (given: string) => {
    const { headers } = await http.get('/healthz', { headers: { 'x-request-id': given } });
    return headers['x-request-id'];
  };
  assert.is(await idOf('trace-42.a'), 'trace-42.a');
  assert.match(await idOf('no spaces please'), /^[0-9a-f-]{36}$/);
  assert.match(await idOf('x'.repeat(129)), /^[0-9a-f-]{36}$/);
});

test('every answer names the API version and no software', async () => {
  for (const path of ['/healthz', '/nowhere', '/v1/credits']) {
    const { headers } = await http.get(path);
    assert.is(headers['api-version'], '1');
    assert.is(headers['x-content-type-options'], 'nosniff');
    assert.is(headers['x-powered-by'], undefined);
  }
});

test('an unknown path is a problem, with and without a key', async () => {
  refused(await http.get('/v1/nowhere'), 404, 'not_found');
  refused(await api.client().post('/nowhere', 'x'), 404, 'not_found');
  refused(await http.get('/v1/jobs/%E0%A4%A'), 404, 'not_found');
});

test('a wrong method is answered with the allowed ones', async () => {
  const answer = await http.put('/v1/jobs/job_1', {});
  const { detail } = refused(answer, 405, 'method_not_allowed');
  assert.match(detail, /^Expected the method \w+, \w+ or \w+; got PUT\.$/);
  assert.equal(String(answer.headers.allow).split(', ').sort(), ['DELETE', 'GET', 'HEAD']);
  refused(await http.options('/v1/upscale'), 405, 'method_not_allowed');
});

test('bytes that are not HTTP are answered with a problem', async () => {
  const answer = await raw('NONSENSE\r\n\r\n');
  assert.match(answer, /^HTTP\/1\.1 400 Bad Request/);
  assert.match(answer, 'application/problem+json');
  assert.match(answer, '"code":"invalid_request"');
  assert.match(answer, '\r\nApi-Version: 1\r\n');
  const [, id] = /\r\nX-Request-Id: (.+)\r\n/.exec(answer) ?? [];
  assert.match(answer, `"request_id":"${id}"`);
});

test('with Expect: 100-continue a refusal comes before the body is sent', async () => {
  const answer = await raw(
    'POST /v1/upscale HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n' +
      'Content-Type: application/json\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n',
  );
  assert.match(answer, /^HTTP\/1\.1 401 /);
});

test('/healthz needs no key, /readyz names what is missing', async () => {
  assert.equal((await api.client().get('/healthz')).data, { status: 'ok' });
  const { status, data } = await api.client().get('/readyz');
  assert.is(status, 503);
  assert.equal(data, { ready: false, missing: ['the model detail is not ready'] });
});

test('metrics count requests by route and jobs by status', async () => {
  await http.get('/v1/jobs/job_1');
  const { data, headers } = await api.client().get('/metrics');
  assert.match(String(headers['content-type']), 'text/plain');
  assert.match(
    data,
    /enhance_http_request_duration_seconds_count\{method="GET",route="\/v1\/jobs\/:id",status="404"\} \d/,
  );
  assert.match(data, /\nenhance_jobs\{status="queued"\} 0\n/);
});

test('/v1/models has options, limits, price, version, engine and readiness', async () => {
  const { data } = await http.get('/v1/models');
  assert.equal(
    data.data.map(({ id, ready }: { id: string; ready: boolean }) => [id, ready]),
    [
      ['photo', true],
      ['animation', true],
      ['photo_realtime', true],
      ['animation_realtime', true],
      ['detail', false],
      ['fast', true],
      ['balanced', true],
      ['studio', true],
    ],
  );
  const [photo, , realtime, , , fast] = data.data;
  assert.equal([photo.model, photo.effort], ['photo', 'best']);
  assert.equal([realtime.model, realtime.effort], ['photo', 'realtime']);
  assert.match(realtime.releases[0].release, /^photo@/, 'as a request names it');
  assert.is(realtime.price.credits_per_megapixel, 0.05);
  assert.equal(photo.options.scales, [2, 4, 8]);
  assert.is(photo.options.output.properties.quality.maximum, 100);
  assert.is(photo.limits.image.max_bytes, api.parts.config.limits.image.bytes);
  assert.is(photo.price.credits_per_megapixel, 0.5);
  assert.is(photo.version, shippedPhoto.version);
  assert.equal([fast.version, fast.portrait_version], ['clip-r1', 'portrait-r1']);
  assert.equal(fast.options.sync_modes, ['cut_off', 'loop', 'bounce', 'silence', 'remap']);
  assert.equal(fast.options.segment.required, ['start', 'end', 'audio']);
  assert.is(fast.options.options.properties.expressiveness.default, 0.5);
  assert.is(fast.options.speaker.anyOf.length, 3);
  assert.equal([fast.limits.video.max_seconds, fast.limits.audio.max_seconds], [300, 300]);
  assert.equal(fast.price, { credits_per_second: 1, minimum_credits: 1 });
});

test('HEAD answers like GET without a body', async () => {
  const { status, data, headers } = await http.head('/v1/models');
  assert.is(status, 200);
  assert.is(data, '');
  assert.match(String(headers['content-type']), 'application/json');
});

test.after(api.close);
test.run();
