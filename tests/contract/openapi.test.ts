import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { Problem } from '../../src/contract/failure.ts';
import { openapi } from '../../src/contract/openapi/document.ts';
import { failures, isFailureCode } from '../../src/errors.ts';
import { explain } from '../../src/http/pages/problem-notes.ts';
import { openRoute } from '../../src/http/route.ts';
import { createRoutes } from '../../src/http/routes/all.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { operations as all } from '../../src/operations/all.ts';

const Schema = z.looseObject({});
const Content = z.record(
  z.string(),
  z.looseObject({
    schema: Schema,
    example: z.unknown().optional(),
    examples: z.looseObject({}).optional(),
  }),
);
const Response = z.looseObject({
  description: z.string().min(1),
  headers: z.record(z.string(), Schema),
  content: Content.optional(),
});
const Operation = z.object({
  tags: z.tuple([z.string()]),
  summary: z.string().min(1),
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(
    z.looseObject({ name: z.string(), in: z.string(), required: z.boolean(), schema: Schema }),
  ),
  requestBody: z.object({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(
    z.string().regex(/^\d{3}$/),
    z.union([z.strictObject({ $ref: z.string() }), Response]),
  ),
});
const Form = z.looseObject({
  properties: z.record(z.string(), Schema),
  additionalProperties: z.boolean(),
  required: z.array(z.string()),
});
const Document = z.looseObject({
  openapi: z.literal('3.1.0'),
  info: z.looseObject({
    description: z.string(),
    contact: z.looseObject({ url: z.string() }),
    license: z.object({ name: z.string(), identifier: z.literal('Apache-2.0') }),
  }),
  tags: z.array(z.object({ name: z.string(), description: z.string().min(20) })),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({
    schemas: z.record(z.string(), Schema),
    responses: z.record(z.string(), Response),
    examples: z.record(z.string(), z.looseObject({ value: Problem })),
    securitySchemes: z.record(z.string(), z.looseObject({ description: z.string() })),
  }),
});

const statuses: Readonly<Record<string, { readonly status: number }>> = failures;
const routes = createRoutes(all, createMetrics(), 'http://x').filter(
  ({ operationId }) => operationId,
);
const facts = {
  version: '1',
  server: 'http://x',
  reasonOf: (status: string) => `Status ${status}`,
  problemOf: (code: string) => {
    assert.ok(isFailureCode(code), code);
    return explain(code).example;
  },
};
const document = Document.parse(await openapi(routes, facts));
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** The responses of an operation by status, without references. */
const responsesOf = ({ responses }: z.infer<typeof Operation>) =>
  Object.entries(responses).map(([status, response]) => {
    const found = Response.parse(
      '$ref' in response
        ? document.components.responses[String(response.$ref).split('/').at(-1) ?? '']
        : response,
    );
    return { status: Number(status), ...found };
  });
const codesOf = (operation: z.infer<typeof Operation>): string[] =>
  responsesOf(operation).flatMap(({ content }) =>
    Object.keys(content?.['application/problem+json']?.examples ?? {}),
  );
const schemaOf = (ref: unknown): unknown =>
  document.components.schemas[String(ref).split('/').at(-1) ?? ''];
/** Of a body; where one of several sources must come, the fields stand beside that. */
const fieldsOf = (schema: unknown) => {
  const { allOf } = z.object({ allOf: z.array(z.unknown()).optional() }).parse(schema);
  return Form.parse(allOf?.[0] ?? schema);
};

test('every route is an operation with a name and a tag that people would choose', () => {
  assert.is(operations.length, routes.length);
  const ids = operations.map(({ operation }) => operation.operationId);
  assert.is(new Set(ids).size, routes.length);
  for (const id of ids) assert.match(id, /^[a-z]+([A-Z][a-z]+)*$/);
  for (const id of ['upscale', 'lipsync', 'estimateUpscale', 'getJob', 'listJobs', 'cancelJob'])
    assert.ok(ids.includes(id), id);
  const told = document.tags.map(({ name }) => name);
  assert.equal(
    [...new Set(operations.flatMap(({ operation }) => operation.tags))].sort(),
    told.sort(),
  );
});

test('a route without a name or a tag is refused by its path', async () => {
  const { operationId: _, ...unnamed } = openRoute({
    method: 'get',
    path: '/v1/new',
    tag: 'Jobs',
    summary: 'new',
    answer: { status: 204 },
    fails: [],
    handle: async () => undefined,
  });
  const why = await openapi([unnamed], facts).then(() => 'it was made', String);
  assert.match(why, /route get \/v1\/new/);
});

test('while the document is made, other work goes on', async () => {
  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  }, 0);
  await openapi(routes, facts);
  clearInterval(counting);
  assert.ok(turns > 5, `${turns}`);
});

test('every reference leads to something in the document', () => {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#([^"]+)"/g)].map(([, ref]) => ref);
  assert.ok(refs.length > 100);
  for (const ref of new Set(refs)) {
    const found = String(ref)
      .split('/')
      .slice(1)
      .reduce<unknown>((at, key) => z.looseObject({}).parse(at)[key], document);
    assert.ok(found, ref);
  }
});

test('a body and a JSON answer have examples', () => {
  for (const { operation } of operations) {
    const bodies = Object.entries(operation.requestBody?.content ?? {}).slice(0, 1);
    const answers = responsesOf(operation).flatMap(({ content = {} }) => Object.entries(content));
    const json = answers.filter(([type]) => type === 'application/json');
    for (const [type, { example }] of [...bodies, ...json]) {
      if (operation.operationId === 'getDocument') continue;
      assert.ok(example !== undefined, `${operation.operationId} ${type}`);
    }
  }
});

test('no schema has what stops generators: false for entries, or a default that must come', () => {
  assert.not(JSON.stringify(document).includes('"items":false'));
  const { LipsyncRequest, Segment, SegmentResponse } = document.components.schemas;
  const { required } = fieldsOf(LipsyncRequest);
  for (const name of ['model', 'audio_url']) assert.ok(required.includes(name), name);
  for (const name of ['output_format', 'sync_mode', 'speaker', 'options'])
    assert.not(required.includes(name), name);
  assert.equal(
    [Segment, SegmentResponse].map((one) => one?.type),
    ['object', 'object'],
  );
  const startOf = (one: unknown) => JSON.stringify(one).includes('"required":["start"]');
  assert.equal([startOf(Segment), startOf(SegmentResponse)], [false, true]);
});

test('the headers of answers are told', () => {
  const upscale = document.paths['/v1/upscale']?.post;
  assert.ok(upscale);
  const headersAt = (status: number) =>
    Object.keys(responsesOf(upscale).find((one) => one.status === status)?.headers ?? {});
  const always = ['X-Request-Id', 'Api-Version'];
  const rate = ['RateLimit-Policy', 'RateLimit'];
  const made = [...always, ...rate, 'Idempotent-Replayed', 'Preference-Applied'];
  assert.equal(headersAt(200), made);
  assert.equal(headersAt(202), [...made, 'Location']);
  assert.equal(headersAt(401), [...always, 'WWW-Authenticate']);
  assert.equal(headersAt(429), [...always, ...rate, 'Retry-After']);
});

test('an event of a stream has a schema', () => {
  const { get } = document.paths['/v1/jobs/{id}/events'] ?? {};
  assert.ok(get);
  const stream = responsesOf(get)[0]?.content?.['text/event-stream'];
  assert.equal(stream?.schema.anyOf, [
    { $ref: '#/components/schemas/JobEvent' },
    { type: 'string' },
  ]);
  assert.match(String(stream?.example), /^id: \d+\nevent: job\.succeeded\ndata: \{/);
});

test('every parameter of a path is told', () => {
  for (const { path, operation } of operations) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const told = operation.parameters.filter((one) => one.in === 'path');
    assert.equal(
      told.map(({ name }) => name),
      named,
    );
    assert.ok(told.every(({ required }) => required));
  }
});

test('every failure is a problem under its own status, with an example, and no route tells one that is not known', () => {
  for (const { operation } of operations) {
    for (const { status, description, content } of responsesOf(operation)) {
      const { examples } = content?.['application/problem+json'] ?? {};
      if (!examples) continue;
      assert.equal(Object.keys(examples), description.split(', '));
      for (const code of Object.keys(examples)) {
        assert.is(statuses[code]?.status, status, `${code} under ${status}`);
        assert.is(document.components.examples[code]?.value.code, code);
      }
    }
  }
});

test('what follows from a route is told: a key, a rate, a body, an idempotency key', () => {
  const { post } = document.paths['/v1/upscale'] ?? {};
  assert.ok(post);
  const codes = codesOf(post);
  for (const code of [
    ...[
      'missing_api_key',
      'rate_limited',
      'validation_failed',
      'invalid_json',
      'invalid_multipart',
    ],
    ...['idempotency_key_reused', 'draining', 'insufficient_credits', 'inference_failed'],
  ]) {
    assert.ok(codes.includes(code), code);
  }
  assert.equal(Object.keys(post.requestBody?.content ?? {}), [
    ...['application/json', 'multipart/form-data'],
  ]);
  const headers = post.parameters.map(({ name }) => name);
  assert.equal(headers, ['Idempotency-Key', 'Prefer', 'X-Request-Id']);
});

test('an idempotency key is told with its pattern and length', () => {
  const [key] = document.paths['/v1/upscale']?.post?.parameters ?? [];
  assert.equal(key?.schema, {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[\\x20-\\x7e]{1,255}$',
  });
});

test('a multipart body has the fields and file parts that are taken and no others', () => {
  const content = document.paths['/v1/upscale']?.post?.requestBody?.content ?? {};
  const { properties, additionalProperties, required } = fieldsOf(
    schemaOf(content['multipart/form-data']?.schema.$ref),
  );
  assert.is(additionalProperties, false);
  assert.equal(required, ['model', 'scale']);
  assert.equal(Object.keys(properties).sort(), [
    ...['denoise', 'effort', 'image', 'image_url', 'metadata', 'model', 'output'],
    ...['output_format', 'scale'],
    'video',
    ...['video_url', 'webhook_events', 'webhook_url'],
  ]);
  assert.is(properties.image?.format, 'binary');
});

test('a body is required where none would be refused', () => {
  const required = operations.flatMap(({ path, operation }) =>
    operation.requestBody ? [[path, operation.requestBody.required] as const] : [],
  );
  assert.equal(Object.fromEntries(required), {
    '/v1/upscale': true,
    '/v1/upscale/estimate': true,
    '/v1/lipsync': true,
    '/v1/lipsync/estimate': true,
    '/v1/uploads': true,
    '/v1/webhooks': true,
    '/v1/webhooks/{id}': false,
    '/v1/webhooks/{id}/rotate': false,
    '/v1/webhook-secret/rotate': false,
    '/v1/admin/keys': true,
    '/v1/admin/keys/{id}/rotate': false,
    '/v1/admin/credits': true,
    '/v1/admin/models/add': true,
    '/v1/admin/models/check': true,
    '/v1/admin/models/canary': true,
    '/v1/admin/models/promote': true,
    '/v1/admin/models/rollback': true,
    '/v1/admin/models/unload': true,
    '/v1/admin/models/apply': true,
  });
});

test('an upload is multipart alone; what is open needs no key', () => {
  const content = document.paths['/v1/uploads']?.post?.requestBody?.content ?? {};
  assert.equal(Object.keys(content), ['multipart/form-data']);
  assert.equal(document.paths['/healthz']?.get?.security, []);
  assert.equal(document.paths['/v1/jobs']?.get?.security, [{ key: [] }]);
});

test('the query of a list is told with what may be left out', () => {
  const { parameters = [] } = document.paths['/v1/jobs']?.get ?? {};
  assert.equal(
    parameters.map(({ name, required }) => [name, required]),
    [
      ['status', false],
      ['kind', false],
      ['idempotency_key', false],
      ['limit', false],
      ['starting_after', false],
      ['X-Request-Id', false],
    ],
  );
});

test.run();
