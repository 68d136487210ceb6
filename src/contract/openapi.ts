/** The OpenAPI 3.1 document, made from what the routes tell of themselves. */
import { z } from 'zod';
import { Problem } from './failure.ts';
import type { Scope } from './keys.ts';

type Answer = {
  readonly status: number;
  readonly description?: string;
  readonly body?: z.ZodType;
  /** Of an answer that is not JSON. */
  readonly type?: string;
};

/** What a route tells of itself. */
export type Description = {
  readonly method: 'get' | 'post' | 'delete';
  /** With `:name` for a parameter. */
  readonly path: string;
  readonly summary: string;
  /** What the key must be allowed; absent for a route that needs no key. */
  readonly scope?: Scope;
  /** Which of a key's two rates a request counts against. */
  readonly rate?: 'create' | 'read';
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /**
   * Groups of names of which exactly one must come: as a file part of a multipart body,
   * or as `<name>_url` where the body has that field.
   */
  readonly sources?: readonly (readonly string[])[];
  /** Makes something that outlives the request: refused while the server shuts down. */
  readonly creates?: boolean;
  /** Takes `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** Takes `Prefer`. */
  readonly waits?: boolean;
  readonly answer: Answer;
  /** Further answers that are no failures. */
  readonly also?: readonly Answer[];
  /** Codes of the failures that are this route's own; those that follow from the rest are added. */
  readonly fails: readonly string[];
};

type Json = Readonly<Record<string, unknown>>;
type ToSchema = (schema: z.core.$ZodType, io: 'input' | 'output') => Json;
type Facts = {
  readonly title: string;
  readonly version: string;
  readonly server: string;
  readonly statusOf: (code: string) => number;
};

export const openapi = (routes: readonly Description[], facts: Facts): Json => {
  const components: Record<string, unknown> = {};
  const toSchema = schemaWriter(components);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(route, facts, toSchema) };
  }
  return {
    openapi: '3.1.0',
    info: { title: facts.title, version: facts.version },
    servers: [{ url: facts.server }],
    paths,
    components: {
      schemas: components,
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
  };
};

/** Schemas with an id are written once, into `components`, and referred to. */
const schemaWriter =
  (components: Record<string, unknown>): ToSchema =>
  (schema, io) => {
    const text = JSON.stringify(z.toJSONSchema(schema, { io }));
    const {
      $schema: _,
      $defs,
      ...rest
    } = JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'));
    Object.assign(components, $defs);
    return rest;
  };

const operation = (route: Description, facts: Facts, toSchema: ToSchema): Json => ({
  summary: route.summary,
  operationId: operationId(route),
  security: route.scope ? [{ key: [] }] : [],
  parameters: [
    ...parameters(route.params, 'path', toSchema),
    ...parameters(route.query, 'query', toSchema),
    ...(route.idempotent ? [header('Idempotency-Key', 'makes a repetition safe', anyKey)] : []),
    ...(route.waits ? [header('Prefer', 'respond-async, or wait=N in seconds, or both')] : []),
  ],
  ...(route.body && {
    requestBody: {
      // Where every field has a default, no body is an empty one.
      required: route.sources !== undefined || !route.body.safeParse({}).success,
      content: requestContent(route, route.body, toSchema),
    },
  }),
  responses: { ...answers(route, toSchema), ...failures(route, facts, toSchema) },
});

const operationId = ({ method, path }: Description): string =>
  [method, ...path.split('/').filter((part) => part !== '' && part !== 'v1')]
    .map((part) => part.replace(/^:/, 'by_').replaceAll('.', '_'))
    .join('_');

const parameters = (schema: z.ZodObject | undefined, place: string, toSchema: ToSchema): Json[] =>
  Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: !z.safeParse(field, undefined).success,
    schema: toSchema(field, 'input'),
  }));

/** What `Idempotency-Key` may be: printable ASCII. */
export const idempotencyKey = /^[\x20-\x7e]{1,255}$/;
const anyKey = { minLength: 1, maxLength: 255, pattern: idempotencyKey.source };

const header = (name: string, description: string, more: Json = {}): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', ...more },
});

const requestContent = (route: Description, body: z.ZodObject, toSchema: ToSchema): Json => {
  const sources = route.sources ?? [];
  const parts = sources.flat();
  const urls = sources.map((group) =>
    group.map((name) => `${name}_url`).filter((name) => Object.hasOwn(body.shape, name)),
  );
  const isJson = urls.every((group) => group.length > 0);
  return {
    ...(isJson && {
      'application/json': {
        schema: { allOf: [toSchema(body, 'input'), ...urls.map(oneOf)] },
      },
    }),
    ...(parts.length > 0 && {
      'multipart/form-data': {
        schema: {
          ...withParts(toSchema(z.strictObject(body.shape), 'input'), parts),
          allOf: sources.map((group, index) => oneOf([...group, ...(urls[index] ?? [])])),
        },
      },
    }),
  };
};

/** The fields of a body and its file parts in one closed object. */
const withParts = ({ properties, ...rest }: Json, parts: readonly string[]): Json => ({
  ...rest,
  properties: {
    ...(typeof properties === 'object' && properties),
    ...Object.fromEntries(parts.map((name) => [name, file])),
  },
});

/** `format` is how older tools know that it is to be sent as a file. */
const file = {
  type: 'string',
  format: 'binary',
  contentMediaType: 'application/octet-stream',
};
const oneOf = (names: readonly string[]): Json => ({
  oneOf: names.map((name) => ({ required: [name] })),
});

const answers = (route: Description, toSchema: ToSchema): Json =>
  Object.fromEntries(
    [route.answer, ...(route.also ?? [])].map((answer) => [
      answer.status,
      {
        description: answer.description ?? route.summary,
        ...(answer.body && {
          content: { 'application/json': { schema: toSchema(answer.body, 'output') } },
        }),
        ...(answer.type && { content: { [answer.type]: {} } }),
      },
    ]),
  );

/** One entry per status; its schema names the codes. */
const failures = (route: Description, facts: Facts, toSchema: ToSchema): Json => {
  const problem = toSchema(Problem, 'output');
  const byStatus: Record<string, string[]> = {};
  for (const code of new Set(codesOf(route))) {
    const status = facts.statusOf(code);
    byStatus[status] = [...(byStatus[status] ?? []), code];
  }
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes]) => [
      status,
      {
        description: codes.join(', '),
        content: {
          'application/problem+json': {
            schema: { allOf: [problem, { properties: { code: { enum: codes } } }] },
          },
        },
      },
    ]),
  );
};

/** The route's own failures and those that follow from what it takes. */
const codesOf = (route: Description): string[] => [
  ...route.fails,
  ...['internal_error', 'invalid_request', 'header_too_large', 'validation_failed'],
  ...(route.scope ? keyFailures : []),
  ...(route.scope ? ['concurrency_limited'] : []),
  ...(route.rate ? ['rate_limited'] : []),
  ...(route.params ? ['not_found'] : []),
  ...(route.body ? bodyFailures : []),
  ...(route.sources
    ? ['invalid_multipart', 'storage_full', 'storage_failed', 'storage_unavailable']
    : []),
  ...(route.idempotent ? idempotencyFailures : []),
  ...(route.creates ? ['draining'] : []),
];

const bodyFailures = [
  ...['invalid_json', 'file_too_large', 'unsupported_media_type', 'request_timeout'],
];
const keyFailures = ['missing_api_key', 'invalid_api_key', 'expired_api_key', 'insufficient_scope'];
const idempotencyFailures = [
  'invalid_idempotency_key',
  'idempotency_in_progress',
  'idempotency_key_reused',
];
