/** What the document says about the service as a whole. */
import type { Description, Json } from './description.ts';

type Told = { readonly version: string; readonly server: string };

export const info = ({ version, server }: Told): Json => ({
  title: 'Media enhancement',
  version,
  summary: 'Enlarges pictures and videos, and synchronises lips with speech.',
  description: [
    'Send a picture, a video or a clip with a sound, as a URL or as a file; get the address of the result.',
    '**Waiting.** A call waits for its result and answers 200. `Prefer: respond-async` answers 202 with the job, whose state, events and result have addresses of their own (`urls` of the job).',
    '**Credits.** A job holds what it may cost and is charged what it did cost, never more. Failed, cancelled and cached jobs cost nothing. Every operation has an estimate.',
    '**Repeating.** With `Idempotency-Key`, a request that is sent again is not done again.',
    '**Errors** are `application/problem+json` (RFC 9457). `code` never changes, `retryable` says whether the same request may succeed later, and `type` leads to a page that explains the code.',
    '**Rates.** `RateLimit` tells what is left; a 429 says in `Retry-After` when to come back.',
  ].join('\n\n'),
  contact: { name: 'The operator of this service', url: server },
  license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
});

export const securitySchemes: Json = {
  key: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key, such as `mes_live_…`, in `Authorization: Bearer <key>`. A key has scopes: `create` to make, cancel and erase jobs, `read` to look at them, `admin` for what operators do. `enhance keys create` issues one. The signed links in a job need none.',
  },
};

export const securityOf = ({ scope, byLink }: Description): Json[] => [
  ...(scope || byLink ? [{ key: [] }] : []),
  // Its parameters are in the query; it is not called invalid authentication when it is wrong, but not found.
  ...(byLink ? [{}] : []),
];
