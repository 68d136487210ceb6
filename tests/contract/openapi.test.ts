import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { openapi } from '../../src/contract/openapi.ts';
import { failures } from '../../src/errors.ts';
import { createRoutes } from '../../src/http/routes/all.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { operations as all } from '../../src/operations/all.ts';

const Schema = z.looseObject({});
const Content = z.record(z.string(), z.looseObject({ schema: Schema.optional() }));
const Operation = z.object({
  summary: z.string().min(1),
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(
    z.object({ name: z.string(), in: z.string(), required: z.boolean(), schema: Schema }),
  ),
  requestBody: z.object({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(
    z.string().regex(/^\d{3}$/),
    z.object({ description: z.string().min(1), content: Content.optional() }),
  ),
});
const Form = z.looseObject({
  properties: z.record(z.string(), Schema),
  additionalProperties: z.boolean(),
  required: z.array(z.string()),
});
const Document = z.looseObject({
  openapi: z.literal('3.1.0'),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({ schemas: z.record(z.string(), Schema) }),
});

const statuses: Readonly<Record<string, { readonly status: number }>> = failures;
const metrics = createMetrics();
const routes = createRoutes(all, metrics, 'http://x');
const document = Document.parse(
  openapi(routes, {
    ...{ title: 'T', version: '1', server: 'http://x' },
    statusOf: (code) => statuses[code]?.status ?? 0,
  }),
);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

test('every route is an operation with a name of its own', () => {
  assert.is(operations.length, routes.length);
  assert.is(new Set(operations.map(({ operation }) => operation.operationId)).size, routes.length);
});

test('every reference leads to a schema of the document', () => {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref);
  assert.ok(refs.length > 20);
  for (const ref of refs) {
    assert.match(String(ref), /^#\/components\/schemas\//);
    assert.ok(document.components.schemas[String(ref).split('/').at(-1) ?? ''], ref);
  }
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

test('every failure is a problem under its own status, and no route tells one that is not known', () => {
  for (const { operation } of operations) {
    for (const [status, { description, content }] of Object.entries(operation.responses)) {
      if (!content?.['application/problem+json']) continue;
      for (const code of description.split(', ')) {
        assert.is(statuses[code]?.status, Number(status), `${code} under ${status}`);
      }
    }
  }
});

test('what follows from a route is told: a key, a rate, a body, an idempotency key', () => {
  const { post } = document.paths['/v1/upscale'] ?? {};
  assert.ok(post);
  const codes = Object.values(post.responses).flatMap(({ description }) => description.split(', '));
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
  assert.equal(headers, ['Idempotency-Key', 'Prefer']);
});

test('an idempotency key is told with its pattern and length', () => {
  const [key] = document.paths['/v1/upscale']?.post?.parameters ?? [];
  assert.equal(key?.schema, {
    ...{ type: 'string', minLength: 1, maxLength: 255 },
    pattern: '^[\\x20-\\x7e]{1,255}$',
  });
});

test('a multipart body has the fields and file parts that are taken and no others', () => {
  const content = document.paths['/v1/upscale']?.post?.requestBody?.content ?? {};
  const { properties, additionalProperties, required } = Form.parse(
    content['multipart/form-data']?.schema,
  );
  assert.is(additionalProperties, false);
  assert.equal(required, ['model', 'scale']);
  assert.equal(Object.keys(properties).sort(), [
    ...['image', 'image_url', 'metadata', 'model', 'output', 'output_format', 'scale', 'video'],
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
      ['limit', false],
      ['starting_after', false],
    ],
  );
});

test.run();
