/** The headers that the document names, as OpenAPI describes them. */
import { idempotencyKey } from '../idempotency-key.ts';

const text = { type: 'string' };

/** Headers of requests. Each may be left out. */
export const requestHeaders = {
  'Idempotency-Key': {
    description: 'makes a repetition safe: the same request under the same key is done once',
    schema: { ...text, minLength: 1, maxLength: 255, pattern: idempotencyKey.source },
    example: 'order-1042',
  },
  Prefer: {
    description:
      '`respond-async`: answer 202 with the job at once; `wait=N`: wait at most N seconds for the result, then answer 202. Without it the server waits as long as it may',
    schema: text,
    example: 'respond-async',
  },
  'X-Request-Id': {
    description: 'a name for the request, for logs: up to 128 letters, digits and . _ : / + = -',
    schema: text,
  },
  'Last-Event-ID': {
    description:
      'id of the last event that was seen; after the last event of a job the answer is 204',
    schema: text,
  },
  Range: { description: 'one range of bytes', schema: text, example: 'bytes=0-1023' },
  'If-Range': { description: 'an ETag: Range counts only for this file', schema: text },
  'If-None-Match': { description: 'an ETag: this file is not sent again', schema: text },
} as const;
export type RequestHeader = keyof typeof requestHeaders;

/** Headers of answers. Those without `required` come where the description says so. */
export const answerHeaders = {
  'X-Request-Id': {
    description:
      "the request's own X-Request-Id if it is sane, else one that was made; name it when you ask for help",
    required: true,
    schema: text,
  },
  'Api-Version': { description: 'version of this contract', required: true, schema: text },
  'RateLimit-Policy': {
    description:
      'the rate that the request counted against: its name, its quota `q`, and its window `w` in seconds',
    schema: text,
    example: '"create";q=60;w=60',
  },
  RateLimit: {
    description:
      'requests that are left (`r`), and the seconds (`t`) until the whole quota is there again',
    schema: text,
    example: '"create";r=59;t=1',
  },
  'Retry-After': {
    description: 'seconds to wait before the request is sent again; absent where that cannot help',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': { description: 'how to authenticate', schema: text, example: 'Bearer' },
  Location: { description: 'where to look next', schema: text },
  'Preference-Applied': {
    description: 'the part of Prefer that was applied; absent where there was none',
    schema: text,
    example: 'respond-async',
  },
  'Idempotent-Replayed': {
    description:
      '`true` where the answer is that to an earlier request with the same Idempotency-Key',
    schema: { type: 'string', enum: ['true'] },
  },
  'Set-Cookie': { description: 'the session, for the path /board alone', schema: text },
  ETag: { description: 'SHA-256 of the file, in quotes', schema: text },
  'Accept-Ranges': { description: '`bytes`', schema: text },
  'Content-Range': { description: 'which bytes these are, of how many', schema: text },
  'Content-Disposition': { description: 'a name for the file', schema: text },
} as const;
export type AnswerHeader = keyof typeof answerHeaders;
