/**
 * The catalogue of all failures: the HTTP status, whether the same request may succeed later, and the sentence that
 * says what was expected and what was found.
 * `http/middleware/errors.ts` turns a Failure into problem+json, `jobs/run/attempt.ts` into a job's `error`.
 */
import { counted } from './text/counted.ts';
import { oneOf } from './text/expected.ts';

type Facts = Readonly<Record<string, unknown>>;
type Kind = {
  readonly status: number;
  readonly retryable: boolean;
  readonly say: (facts: Facts) => string;
};

const kind = (status: number, retryable: boolean, say: (facts: Facts) => string): Kind => ({
  status,
  retryable,
  say,
});
/** A fact as text, cut after 1000 characters: it can contain a caller's own text, which can be as long as a body. */
const text = (value: unknown): string =>
  (typeof value === 'string' ? value : String(JSON.stringify(value))).slice(0, 1000);

/** A fact that is a list, as texts. */
const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(text) : []);

const credits = (value: unknown): string => counted(Number(value), 'credit');

/** All failures by their code, which is part of the HTTP contract. */
export const failures = {
  invalid_request: kind(400, false, (f) => `The request is not valid HTTP: ${text(f.reason)}.`),
  invalid_json: kind(400, false, (f) => `The body is not valid JSON: ${text(f.reason)}.`),
  invalid_multipart: kind(
    400,
    false,
    (f) => `The multipart body could not be read: ${text(f.reason)}.`,
  ),
  invalid_idempotency_key: kind(
    400,
    false,
    (f) =>
      `Expected an Idempotency-Key of 1 to 255 printable ASCII characters; got ${text(f.came)}.`,
  ),
  missing_api_key: kind(
    401,
    false,
    (f) => `Expected an API key in the header "Authorization: Bearer <key>"; got ${text(f.came)}.`,
  ),
  invalid_api_key: kind(401, false, () => 'The API key is unknown, revoked or mistyped.'),
  expired_api_key: kind(401, false, (f) => `The API key expired at ${text(f.expired_at)}.`),
  insufficient_scope: kind(
    403,
    false,
    (f) => `Expected a key with the scope "${text(f.needed)}"; this key does not have it.`,
  ),
  insufficient_credits: kind(
    402,
    false,
    (f) =>
      `The job costs ${credits(f.required_credits)}; the account has ${credits(f.available_credits)} available.`,
  ),
  not_found: kind(404, false, (f) => `There is no ${text(f.what ?? 'such resource')}.`),
  method_not_allowed: kind(
    405,
    false,
    (f) => `Expected the method ${oneOf(listOf(f.allowed))}; got ${text(f.method)}.`,
  ),
  request_timeout: kind(
    408,
    true,
    () => 'The request did not arrive completely within the time limit. Send it again.',
  ),
  result_expired: kind(
    410,
    false,
    () => 'The result has expired or was erased. Send the request again for a new result.',
  ),
  link_expired: kind(
    410,
    false,
    () => 'The signed link has expired. GET /v1/jobs/{id} with an API key returns new links.',
  ),
  models_changed: kind(
    409,
    false,
    (f) =>
      `The releases of "${text(f.slot)}" were changed by someone else meanwhile: ${text(f.now)}. Nothing was done; look at them and decide again.`,
  ),
  release_refused: kind(422, false, (f) => `Nothing was changed: ${text(f.reason)}.`),
  idempotency_in_progress: kind(
    409,
    true,
    () => 'A request with this Idempotency-Key is still running. Try again when it has finished.',
  ),
  result_not_ready: kind(
    409,
    true,
    (f) => `The job has no result yet; its status is ${text(f.status)}.`,
  ),
  job_canceled: kind(
    409,
    false,
    () => 'The job was cancelled, so it has no result. Nothing was charged.',
  ),
  file_too_large: kind(
    413,
    false,
    (f) => `${text(f.what)} may have at most ${text(f.limit_bytes)} bytes; got ${text(f.came)}.`,
  ),
  media_too_long: kind(413, false, (f) =>
    f.limit_frames === undefined
      ? `The ${text(f.what ?? 'media')} may last at most ${text(f.limit_seconds)} s; got ${text(f.came_seconds)} s.`
      : `The ${text(f.what ?? 'media')} may have at most ${text(f.limit_frames)} frames; got ${text(f.came_frames)}.`,
  ),
  resolution_too_large: kind(
    413,
    false,
    (f) => `The input may have at most ${text(f.limit)}; got ${text(f.came)}.`,
  ),
  output_too_large: kind(
    413,
    false,
    (f) => `The output may have at most ${text(f.limit)}; it would have ${text(f.came)}.`,
  ),
  range_not_satisfiable: kind(
    416,
    false,
    (f) => `Expected a range within the ${text(f.bytes)} bytes of the result; got one beyond them.`,
  ),
  header_too_large: kind(
    431,
    false,
    (f) => `The request headers may have at most ${text(f.limit_bytes)} bytes; got more.`,
  ),
  unsupported_media_type: kind(
    415,
    false,
    (f) => `Expected ${text(f.expected)}; got ${text(f.came)}.`,
  ),
  validation_failed: kind(422, false, (f) => text(f.detail ?? 'The request is not valid.')),
  idempotency_key_reused: kind(
    422,
    false,
    () => 'This Idempotency-Key was used with a different request.',
  ),
  url_not_allowed: kind(422, false, (f) => `${text(f.url)} may not be reached: ${text(f.reason)}.`),
  url_fetch_failed: kind(
    422,
    true,
    (f) => `${text(f.url)} could not be fetched: ${text(f.reason)}.`,
  ),
  too_many_webhooks: kind(
    422,
    false,
    (f) => `The account has ${text(f.count)} webhooks, the limit. Delete one first.`,
  ),
  unsupported_option_for_model: kind(422, false, (f) => text(f.detail)),
  upload_not_found: kind(
    422,
    false,
    (f) => `There is no upload ${text(f.url)}: it has expired, or it belongs to another account.`,
  ),
  media_unreadable: kind(
    422,
    false,
    (f) => `The ${text(f.what ?? 'media')} could not be decoded: ${text(f.reason)}.`,
  ),
  no_video_stream: kind(422, false, () => 'Expected a video; got a file that has no video stream.'),
  no_audio_stream: kind(422, false, () => 'Expected a sound; got a file that has no audio stream.'),
  no_face_detected: kind(422, false, (f) =>
    f.unchanged
      ? 'A face was found, but its mouth could not be changed in any frame: it is turned away, covered or cut off by the edge of the picture.'
      : f.correlation !== undefined
        ? `Expected a person's face whose mouth can be seen; what was taken for one does not move with the speech (correlation ${text(f.correlation)}).`
        : `Expected a face of at least ${text(f.smallest)}, and not upside down; found none${f.frame === undefined ? '' : ` in frame ${text(f.frame)}`}.`,
  ),
  speaker_not_found: kind(422, false, (f) => `The speaker was not found: ${text(f.reason)}.`),
  rate_limited: kind(
    429,
    true,
    (f) => `Too many requests; try again in ${text(f.retry_after_seconds)} s.`,
  ),
  concurrency_limited: kind(429, true, (f) =>
    text(
      f.detail ??
        `The account has ${text(f.queued)} jobs waiting, the limit is ${text(f.limit)}. Try again when one has finished.`,
    ),
  ),
  upload_quota_exceeded: kind(
    429,
    true,
    (f) =>
      `The account may keep at most ${text(f.limit_files)} uploads with ${text(f.limit_bytes)} bytes in all; it keeps ${text(f.used_files)} with ${text(f.used_bytes)} bytes, and this one has ${text(f.came)}. Try again when one is deleted or has expired.`,
  ),
  internal_error: kind(
    500,
    true,
    (f) => `The server failed${f.reason ? `: ${text(f.reason)}` : ''}.`,
  ),
  inference_failed: kind(
    502,
    true,
    (f) => `The model "${text(f.model)}" failed: ${text(f.reason)}.`,
  ),
  model_unavailable: kind(503, true, (f) =>
    f.reason === undefined
      ? `The model "${text(f.model)}" is not ready. Try again later.`
      : `The model "${text(f.model)}" is not ready: ${text(f.reason)}. Nothing was changed. Try again once Triton answers.`,
  ),
  draining: kind(503, true, () => 'The server is shutting down. Try again later.'),
  queue_full: kind(503, true, (f) =>
    f.waited_seconds === undefined
      ? `The queue is full: ${text(f.waiting)} ${text(f.what ?? 'jobs')} are waiting, the limit. Try again later.`
      : `The file waited ${text(f.waited_seconds)} s for its check, the limit. Try again later.`,
  ),
  record_unreadable: kind(
    500,
    false,
    (f) =>
      `The job was recorded by another version of the service, and this one cannot run it: ${text(f.reason)}. Nothing was charged; send the request again.`,
  ),
  deadline_exceeded: kind(
    504,
    true,
    (f) => `The job was not finished within ${text(f.limit_seconds)} s, the limit.`,
  ),
  worker_lost: kind(
    500,
    true,
    (f) => `The worker that ran the job was lost ${counted(Number(f.times), 'time')}.`,
  ),
  decode_failed: kind(
    500,
    true,
    (f) => `The ${text(f.what ?? 'media')} could not be decoded to its end: ${text(f.reason)}.`,
  ),
  encode_failed: kind(500, true, (f) => `The result could not be encoded: ${text(f.reason)}.`),
  signing_failed: kind(
    500,
    true,
    (f) => `The content credentials of the result could not be written: ${text(f.reason)}.`,
  ),
  storage_failed: kind(500, true, (f) => `A file could not be stored: ${text(f.reason)}.`),
  storage_unavailable: kind(
    503,
    true,
    () => 'The storage of media does not answer. Nothing was stored. Try again later.',
  ),
  database_unavailable: kind(
    503,
    true,
    (f) =>
      `The database of jobs and credits (Redis) ${text(f.reason ?? 'does not answer')}. Try again later.`,
  ),
  storage_full: kind(
    507,
    true,
    () => 'The disk of the server has no room for more media. Nothing was stored. Try again later.',
  ),
} as const satisfies Record<string, Kind>;

export type FailureCode = keyof typeof failures;

export const isFailureCode = (code: string): code is FailureCode => Object.hasOwn(failures, code);

/** One fault of a request: where it is (JSON pointer), its code and sentence, and the values that are allowed. */
export type Fault = {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
  readonly allowed?: readonly (string | number)[];
};

/** The first fault of a request, and how many it has: for those who show a problem's `detail` alone. */
export const sentenceOf = (faults: readonly Fault[], count = faults.length): string | undefined => {
  const [first] = faults;
  if (!first) return undefined;
  const sentence = [first.pointer, first.detail].filter(Boolean).join(': ');
  const which = count > faults.length ? `the first ${faults.length} are in errors` : 'see errors';
  return count === 1 ? sentence : `${sentence} This is the first of ${count} faults; ${which}.`;
};

/** The one error class of the service: a code of the catalogue and the facts of its sentence. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: FailureCode;
  readonly facts: Facts;
  readonly faults: readonly Fault[];

  constructor(
    code: FailureCode,
    facts: Facts = {},
    options: { cause?: unknown; faults?: readonly Fault[] } = {},
  ) {
    const detail = facts.detail ?? sentenceOf(options.faults ?? []);
    super(failures[code].say({ ...facts, detail }), { cause: options.cause });
    this.code = code;
    this.facts = facts;
    this.faults = options.faults ?? [];
  }

  get status(): number {
    return failures[this.code].status;
  }

  /** Whether the same request may succeed later, as its code says; never where the fact `retryable` is false. */
  get retryable(): boolean {
    return failures[this.code].retryable && this.facts.retryable !== false;
  }
}

/** An unknown error becomes internal_error with the error as its cause, which is logged and not shown. */
export const asFailure = (error: unknown): Failure =>
  error instanceof Failure ? error : new Failure('internal_error', {}, { cause: error });

/** A refusal by `work` names the field that it speaks of; what is the service's own fault names none. */
export const naming = async <T>(field: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Failure) || cause.status >= 500) throw cause;
    const { code, facts, message: detail } = cause;
    throw new Failure(code, facts, { cause, faults: [{ pointer: `/${field}`, code, detail }] });
  }
};

/** Of a list that was to go on after something that is not in it. `expected` completes "Expected the id of ...". */
export const unknownCursor = (expected: string): Failure => {
  const detail = `Expected the id of ${expected}.`;
  const fault = { pointer: '/starting_after', code: 'invalid_cursor', detail };
  return new Failure('validation_failed', {}, { faults: [fault] });
};
