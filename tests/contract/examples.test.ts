/** Every example of the document, sent to a real API; and every answer of it, held against the document. */

import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { AxiosResponse } from 'axios';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { realApi } from '../http/api.ts';
import { serve } from '../media/server.ts';
import { h264, makeClip, pattern, tone } from '../real/clip.ts';
import { tempDir } from '../real/run.ts';

const Media = z.looseObject({ schema: z.unknown(), example: z.unknown().optional() });
const Content = z.record(z.string(), Media);
const Response = z.looseObject({
  headers: z.record(z.string(), z.looseObject({})),
  content: Content.default({}),
});
const Operation = z.looseObject({
  operationId: z.string(),
  requestBody: z.looseObject({ content: Content }).optional(),
  responses: z.record(z.string(), z.looseObject({})),
});
const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({
    examples: z.record(z.string(), z.looseObject({ value: z.unknown() })),
  }),
});

const folder = tempDir('examples');
const at = (name: string): string => join(folder, name);
const media: Readonly<Record<string, string>> = {
  '.jpg': at('a.jpg'),
  '.mp4': at('a.mp4'),
  '.mp3': at('a.mp3'),
};
await Promise.all([
  sharp({ create: { width: 32, height: 24, channels: 3, background: '#a40' } }).toFile(at('a.jpg')),
  makeClip(at('a.mp4'), pattern(0.4), h264),
  makeClip(at('a.mp3'), tone(0.4)),
]);
const server = await serve((request, answer) =>
  answer.end(readFileSync(media[extname(request.url ?? '')] ?? '')),
);
const api = await realApi({ FETCH_ALLOW_HOSTS: `127.0.0.1:${server.port}` });
const { http, key } = await api.caller({ scopes: ['create', 'read', 'admin'] });

const raw = (await api.client().get('/openapi.json')).data;
const document = Document.parse(raw);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(raw, 'document');

/** Fails unless the value fits what stands at this place of the document. */
const fits = (value: unknown, pointer: readonly (string | number)[], what: string): void => {
  const tokens = pointer.map((one) => String(one).replaceAll('~', '~0').replaceAll('/', '~1'));
  const check = ajv.compile({ $ref: `document#/${tokens.map(encodeURIComponent).join('/')}` });
  assert.ok(check(value), `${what}: ${ajv.errorsText(check.errors)}\n${JSON.stringify(value)}`);
};

/** Where a response stands, with references followed. */
const placeOf = (path: string, method: string, status: number): string[] => {
  const response = document.paths[path]?.[method]?.responses[status];
  assert.ok(response, `${method} ${path} answered ${status}, which the document does not tell`);
  const { $ref } = response;
  return typeof $ref === 'string'
    ? $ref.split('/').slice(1)
    : ['paths', path, method, 'responses', String(status)];
};
const found = (place: readonly string[]): unknown =>
  place.reduce<unknown>((value, name) => z.looseObject({}).parse(value)[name], raw);

const checkAnswer = (path: string, method: string, answer: AxiosResponse): void => {
  const what = `${method} ${path} ${answer.status}`;
  const place = placeOf(path, method, answer.status);
  const { headers, content } = Response.parse(found(place));
  for (const name of ['X-Request-Id', 'Api-Version'])
    assert.ok(answer.headers[name.toLowerCase()], `${what} has no ${name}`);
  const standing = [
    'ratelimit',
    'ratelimit-policy',
    'location',
    'preference-applied',
    'idempotent-replayed',
  ];
  const told = Object.keys(headers).map((name) => name.toLowerCase());
  for (const name of [
    ...standing,
    'retry-after',
    'www-authenticate',
    'etag',
    'content-disposition',
  ])
    if (answer.headers[name] !== undefined) assert.ok(told.includes(name), `${what}: ${name}`);
  const type = String(answer.headers['content-type'] ?? '').split(';')[0] ?? '';
  if (answer.data === '' || answer.data === null) return;
  assert.ok(content[type], `${what} is ${type}, which the document does not tell`);
  if (type.endsWith('json')) fits(answer.data, [...place, 'content', type, 'schema'], what);
};

/** The events of a job that was cancelled: one, which says so. */
const checkEvents = (stream: string): void => {
  const events = stream.split('\n\n').filter((text) => text.startsWith('id:'));
  assert.is(events.length, 1);
  const fields = (events[0] ?? '').split('\n').map((line) => {
    const [name = '', ...rest] = line.split(': ');
    return [name, rest.join(': ')] as const;
  });
  const event = Object.fromEntries(fields);
  fits(event, ['components', 'schemas', 'JobEvent'], 'event');
  fits(JSON.parse(event.data ?? ''), ['components', 'schemas', 'Job'], 'data of an event');
};

const test = suite('the examples of the document');

test('every example fits its schema', () => {
  let count = 0;
  const each = (content: z.infer<typeof Content>, place: string[], what: string) => {
    for (const [type, { example }] of Object.entries(content)) {
      if (example === undefined) continue;
      fits(example, [...place, 'content', type, 'schema'], what);
      count += 1;
    }
  };
  for (const { path, method, operation } of operations) {
    const body = operation.requestBody?.content ?? {};
    each(body, ['paths', path, method, 'requestBody'], `body of ${operation.operationId}`);
    for (const status of Object.keys(operation.responses)) {
      const place = placeOf(path, method, Number(status));
      each(Response.parse(found(place)).content, place, `${status} of ${operation.operationId}`);
    }
  }
  assert.ok(count > 40, String(count));
  for (const [code, { value }] of Object.entries(document.components.examples))
    fits(value, ['components', 'schemas', 'Problem'], code);
});

test('every operation answers its example as the document tells', async () => {
  const ids: Record<string, string> = { code: 'rate_limited' };
  const statuses: Record<string, number> = {};
  const form = new FormData();
  form.append('file', new Blob([readFileSync(at('a.jpg'))]), 'a.jpg');
  for (const { path, method, operation } of inOrder()) {
    const { operationId, requestBody } = operation;
    const example = requestBody?.content['application/json']?.example;
    const text = JSON.stringify(example)?.replaceAll(
      /https:\/\/(media|app)\.example\.com/g,
      server.origin,
    );
    const answer = await http.request({
      method,
      url: path.replace(/\{(\w+)\}/g, (_, name) => ids[idOf(path)] ?? ids[name] ?? 'none'),
      headers: {
        authorization: `Bearer ${key}`,
        ...(text && { 'content-type': 'application/json' }),
        ...(['upscale', 'lipsync'].includes(operationId) && { prefer: 'respond-async' }),
        ...(operationId === 'getProblemType' && { accept: 'application/json' }),
      },
      data: operationId === 'createUpload' ? form : text,
    });
    statuses[operationId] = answer.status;
    checkAnswer(path, method, answer);
    if (operationId === 'getJobEvents') checkEvents(answer.data);
    if (method === 'post' && answer.data?.id) ids[idOf(path)] ??= answer.data.id;
    if (operationId === 'pingWebhook') ids.webhook = answer.data.id;
    if (operationId === 'upscale' || operationId === 'lipsync') ids.jobs = answer.data.id;
  }
  const failed = Object.entries(statuses).filter(([, status]) => status >= 400);
  assert.equal(Object.fromEntries(failed), withoutTriton);
});

/** There is no Triton, no second release, no result, and one of the models is not ready. */
const withoutTriton: Readonly<Record<string, number>> = {
  getReadiness: 503,
  getJobResult: 409,
  addRelease: 422,
  applyReleases: 422,
  checkRelease: 404,
  startCanary: 404,
  promoteRelease: 404,
  unloadRelease: 404,
  rollBackRelease: 422,
};

/** "jobs" for everything below /v1/jobs. */
const idOf = (path: string): string => /^\/v1\/(admin\/keys|\w+)/.exec(path)?.[1] ?? '';

/** What makes something comes first, and what ends it last. */
const inOrder = () => {
  const last = ['cancelJob', 'getJobEvents', 'eraseJob', 'deleteWebhook', 'revokeKey'];
  const rank = (id: string) => last.indexOf(id);
  return operations.toSorted(
    (one, other) => rank(one.operation.operationId) - rank(other.operation.operationId),
  );
};

test.after(async () => {
  await api.close();
  await server.close();
});

test.run();
