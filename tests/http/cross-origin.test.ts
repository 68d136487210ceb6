/** What a browser asks for a page of another origin, and what it is told. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { realApi } from './api.ts';
import { refused } from './told.ts';

const test = suite('cross-origin');
const page = 'https://app.example.org';
const stranger = 'https://evil.example.org';
const api = await realApi({ CORS_ORIGINS: `${page}, http://localhost:5173` });
const closed = await realApi();
const open = await realApi({ CORS_ORIGINS: '*' });
const { http } = await api.caller();

type Client = ReturnType<typeof api.client>;
const preflight = (client: Client, origin: string) =>
  client.request({
    method: 'OPTIONS',
    url: '/v1/upscale',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key,prefer',
    },
  });
/** The part of the document that says which methods and headers there are. */
const Told = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({ parameters: z.array(z.object({ name: z.string(), in: z.string() })) }),
    ),
  ),
  components: z.object({ headers: z.record(z.string(), z.unknown()) }),
});
const allowed = (headers: unknown): unknown =>
  Reflect.get(Object(headers), 'access-control-allow-origin');

test('a preflight from a configured origin is answered without a key', async () => {
  const { status, headers } = await preflight(api.client(), page);
  assert.is(status, 204);
  assert.is(allowed(headers), page);
  assert.match(headers['access-control-allow-methods'], /POST/);
  for (const name of [
    'authorization',
    'content-type',
    'idempotency-key',
    'prefer',
    'last-event-id',
  ])
    assert.ok(headers['access-control-allow-headers'].toLowerCase().includes(name), name);
  assert.is(headers['access-control-allow-credentials'], undefined);
  assert.match(headers.vary, /Origin/i);
});

test('any other origin gets no leave, nor does any where none is configured', async () => {
  for (const [client, origin] of [
    [api.client(), stranger],
    [api.client(), `${page}.evil.example`],
    [api.client(), 'http://app.example.org'],
    [api.client(), 'null'],
    [closed.client(), page],
  ] as const) {
    const answer = await preflight(client, origin);
    refused(answer, 405, 'method_not_allowed');
    assert.is(allowed(answer.headers), undefined, origin);
  }
});

test('answers and refusals can be read by the page, with our headers', async () => {
  const headers = { origin: page };
  const listed = await http.get('/v1/jobs', { headers });
  assert.equal([listed.status, allowed(listed.headers)], [200, page]);
  const exposed = listed.headers['access-control-expose-headers'].toLowerCase().split(',');
  for (const name of Object.keys(listed.headers).filter((one) =>
    /^(x-request-id|api-|ratelimit)/.test(one),
  ))
    assert.ok(exposed.includes(name), name);
  const refusal = await api.client().get('/v1/jobs', { headers });
  refused(refusal, 401, 'missing_api_key');
  assert.is(allowed(refusal.headers), page);
});

test('a page may use every method, send every header and read every header that the document tells of', async () => {
  const { paths, components } = Told.parse((await http.get('/openapi.json')).data);
  const asked = await preflight(api.client(), page);
  const listed = (name: string, { headers }: typeof asked): string[] =>
    String(Reflect.get(Object(headers), `access-control-${name}`))
      .toLowerCase()
      .split(',');
  const operations = Object.values(paths).flatMap((path) => Object.entries(path));
  for (const [method] of operations)
    assert.ok(listed('allow-methods', asked).includes(method), method);
  for (const { name } of operations.flatMap(([, { parameters }]) =>
    parameters.filter((one) => one.in === 'header'),
  ))
    assert.ok(listed('allow-headers', asked).includes(name.toLowerCase()), name);
  const answer = await http.get('/v1/credits', { headers: { origin: page } });
  // A browser keeps cookies to itself, whatever a server exposes.
  for (const name of Object.keys(components.headers).filter((one) => one !== 'Set-Cookie'))
    assert.ok(listed('expose-headers', answer).includes(name.toLowerCase()), name);
});

test('only the API and its document are opened', async () => {
  const of = async (path: string) =>
    allowed((await api.client().get(path, { headers: { origin: page } })).headers);
  assert.is(await of('/openapi.json'), page);
  assert.is(await of('/healthz'), undefined);
  assert.is(await of('/metrics'), undefined);
});

test('an asterisk opens it to all pages', async () => {
  assert.is(allowed((await preflight(open.client(), stranger)).headers), '*');
});

test.after(async () => {
  await Promise.all([api, closed, open].map((one) => one.close()));
});
test.run();
