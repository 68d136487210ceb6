/** Which headers a route takes and its answers have. */
import type { Description, Json } from './description.ts';
import { type AnswerHeader, type RequestHeader, requestHeaders } from './header-list.ts';

export const headerParameters = ({
  scope,
  idempotent,
  waits,
  headers = [],
}: Description): Json[] => {
  const names: RequestHeader[] = [
    ...(idempotent ? (['Idempotency-Key'] as const) : []),
    ...(waits ? (['Prefer'] as const) : []),
    ...headers,
    ...(scope ? (['X-Request-Id'] as const) : []),
  ];
  return names.map((name) => ({ name, in: 'header', required: false, ...requestHeaders[name] }));
};

export const headersOf = (names: readonly AnswerHeader[]): Json =>
  Object.fromEntries(
    [...always, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

const always: readonly AnswerHeader[] = ['X-Request-Id', 'Api-Version'];

/** Those about the rate of a key; a signed link has none. */
export const rateHeaders = ({ rate, byLink }: Description): readonly AnswerHeader[] =>
  rate || byLink ? ['RateLimit-Policy', 'RateLimit'] : [];
