/** The failures of a route, as the document describes them: by status, with an example for every code. */
import { Problem } from '../failure.ts';
import type { Description, Json } from './description.ts';
import type { AnswerHeader } from './header-list.ts';
import { headersOf, rateHeaders } from './headers.ts';
import type { Schemas } from './schemas.ts';

/** The problem that a code becomes. */
export type ProblemOf = (code: string) => Problem;

export const failuresOf = (route: Description, problemOf: ProblemOf, schemas: Schemas): Json => {
  const schema = schemas.write(Problem, 'output');
  const byStatus: Record<string, string[]> = {};
  for (const code of codesOf(route)) {
    const { status } = problemOf(code);
    byStatus[status] = [...(byStatus[status] ?? []), code];
  }
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes]) => [
      status,
      {
        description: codes.join(', '),
        headers: headersOf(headersAt(Number(status), codes, route)),
        content: { 'application/problem+json': { schema, examples: examplesOf(codes) } },
      },
    ]),
  );
};

const examplesOf = (codes: readonly string[]): Json =>
  Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));

/** `components.examples`: the problem of every code that a route names. */
export const problemExamples = (routes: readonly Description[], problemOf: ProblemOf): Json =>
  Object.fromEntries(
    [...new Set(routes.flatMap(codesOf))].sort().map((code) => {
      const value = problemOf(code);
      return [code, { summary: value.title, value }];
    }),
  );

const headersAt = (
  status: number,
  codes: readonly string[],
  route: Description,
): readonly AnswerHeader[] => [
  // A key that is refused, and a request that cannot be read at all, count against no rate.
  ...(status === 401 || status === 431 ? [] : rateHeaders(route)),
  ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
  ...(status === 416 ? (['Content-Range'] as const) : []),
  ...(mayPass(status, codes) ? (['Retry-After'] as const) : []),
];

const mayPass = (status: number, codes: readonly string[]): boolean =>
  [429, 503, 507].includes(status) ||
  codes.includes('idempotency_in_progress') ||
  codes.includes('result_not_ready');

/** The route's own failures and those that follow from what it takes, each once and in the order of the alphabet. */
const codesOf = (route: Description): string[] =>
  [
    ...new Set([
      ...route.fails,
      ...['internal_error', 'invalid_request', 'header_too_large', 'validation_failed'],
      ...(route.scope ? keyFailures : []),
      ...(route.scope && route.scope !== 'any' ? ['insufficient_scope'] : []),
      ...(route.scope ? ['concurrency_limited'] : []),
      ...(route.rate ? ['rate_limited'] : []),
      ...(route.params ? ['not_found'] : []),
      ...(route.body ? bodyFailures : []),
      ...(route.sources ? fileFailures : []),
      ...(route.idempotent ? idempotencyFailures : []),
      ...(route.creates ? ['draining'] : []),
    ]),
  ].sort();

const keyFailures = [
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'database_unavailable',
];
const bodyFailures = [
  ...['invalid_json', 'file_too_large', 'unsupported_media_type', 'request_timeout'],
];
const fileFailures = ['invalid_multipart', 'storage_full', 'storage_failed', 'storage_unavailable'];
const idempotencyFailures = [
  'invalid_idempotency_key',
  'idempotency_in_progress',
  'idempotency_key_reused',
];
