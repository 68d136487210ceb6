/**
 * Everything that can go wrong, once: the HTTP status, whether a caller may try again,
 * and the sentence that says what was expected and what came.
 * `http/middleware/errors.ts` turns a Failure into problem+json, `jobs/run/attempt.ts` into a job's `error`.
 */

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
/** Cut, as a part of it may be a caller's own text, which may be as long as a body. */
const text = (value: unknown): string =>
  (typeof value === 'string' ? value : String(JSON.stringify(value))).slice(0, 1000);

export const failures = {
  invalid_request: kind(
    400,
    false,
    (f) => `The request could not be read as HTTP: ${text(f.reason)}.`,
  ),
  invalid_json: kind(400, false, (f) => `The body is not valid JSON: ${text(f.reason)}.`),
  invalid_multipart: kind(
    400,
    false,
    (f) => `The multipart body could not be read: ${text(f.reason)}.`,
  ),
  invalid_idempotency_key: kind(
    400,
    false,
    () => 'Idempotency-Key must be 1 to 255 printable ASCII characters.',
  ),
  missing_api_key: kind(401, false, () => 'Send the API key as "Authorization: Bearer <key>".'),
  invalid_api_key: kind(401, false, () => 'The API key is unknown, revoked or mistyped.'),
  expired_api_key: kind(401, false, (f) => `The API key expired at ${text(f.expired_at)}.`),
  insufficient_scope: kind(
    403,
    false,
    (f) => `This needs a key with the scope "${text(f.needed)}".`,
  ),
  insufficient_credits: kind(
    402,
    false,
    (f) =>
      `The job needs ${text(f.required_credits)} credits; ${text(f.available_credits)} are available.`,
  ),
  not_found: kind(404, false, (f) => `There is no ${text(f.what ?? 'such resource')} here.`),
  method_not_allowed: kind(
    405,
    false,
    (f) => `${text(f.method)} is not allowed here; use ${text(f.allowed)}.`,
  ),
  request_timeout: kind(
    408,
    true,
    () => 'The request did not arrive in time. Send it again, all of it at once.',
  ),
  result_expired: kind(
    410,
    false,
    () => 'The result has expired or was erased. Send the request again to make it anew.',
  ),
  idempotency_in_progress: kind(
    409,
    true,
    () => 'A request with this Idempotency-Key is still running. Try again when it has ended.',
  ),
  job_canceled: kind(
    409,
    false,
    () => 'The job was cancelled, so it has no result. Nothing was charged.',
  ),
  result_not_ready: kind(409, true, (f) => `The job is ${text(f.status)}; it has no result.`),
  file_too_large: kind(
    413,
    false,
    (f) => `${text(f.what)} may have at most ${text(f.limit_bytes)} bytes; ${text(f.came)} came.`,
  ),
  media_too_long: kind(413, false, (f) =>
    f.limit_frames === undefined
      ? `The ${text(f.what ?? 'media')} may last at most ${text(f.limit_seconds)} s; this lasts ${text(f.came_seconds)} s.`
      : `The ${text(f.what ?? 'media')} may have at most ${text(f.limit_frames)} frames; this has ${text(f.came_frames)}.`,
  ),
  resolution_too_large: kind(
    413,
    false,
    (f) => `The input may have at most ${text(f.limit)}; this has ${text(f.came)}.`,
  ),
  output_too_large: kind(
    413,
    false,
    (f) => `The output may have at most ${text(f.limit)}; this would have ${text(f.came)}.`,
  ),
  range_not_satisfiable: kind(
    416,
    false,
    (f) => `The result has ${text(f.bytes)} bytes; the range lies outside of them.`,
  ),
  header_too_large: kind(
    431,
    false,
    (f) => `The headers of a request may have at most ${text(f.limit_bytes)} bytes; more came.`,
  ),
  unsupported_media_type: kind(
    415,
    false,
    (f) => `Expected ${text(f.expected)}; the content is ${text(f.came)}.`,
  ),
  validation_failed: kind(422, false, (f) =>
    text(f.detail ?? 'The request has faults; see errors.'),
  ),
  idempotency_key_reused: kind(
    422,
    false,
    () => 'This Idempotency-Key was used with a different request.',
  ),
  unsupported_option_for_model: kind(422, false, (f) => text(f.detail)),
  url_not_allowed: kind(422, false, (f) => `${text(f.url)} may not be fetched: ${text(f.reason)}.`),
  url_fetch_failed: kind(
    422,
    true,
    (f) => `${text(f.url)} could not be fetched: ${text(f.reason)}.`,
  ),
  upload_not_found: kind(
    422,
    false,
    (f) => `${text(f.url)} names no upload of the account, or one that has expired.`,
  ),
  media_unreadable: kind(
    422,
    false,
    (f) => `The ${text(f.what ?? 'media')} could not be decoded: ${text(f.reason)}.`,
  ),
  no_video_stream: kind(422, false, () => 'The file has no video stream.'),
  no_audio_stream: kind(422, false, () => 'The file has no sound.'),
  no_face_detected: kind(422, false, (f) =>
    f.unchanged
      ? 'A face was found, but in no frame could its mouth be changed: it is turned away, covered or cut off by the border.'
      : `No face was found${f.frame === undefined ? '' : ` in frame ${text(f.frame)}`}; expected one of at least ${text(f.smallest)}, as faces are found reliably from there on.`,
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
        `The account has ${text(f.queued)} jobs waiting; at most ${text(f.limit)} may wait.`,
    ),
  ),
  upload_quota_exceeded: kind(
    429,
    true,
    (f) =>
      `The account keeps ${text(f.used_files)} uploads of ${text(f.used_bytes)} bytes; at most ${text(f.limit_files)} of ${text(f.limit_bytes)} bytes in all may be kept, and ${text(f.came)} more bytes came. Uploads expire by themselves.`,
  ),
  internal_error: kind(
    500,
    true,
    (f) => `Something went wrong on our side${f.reason ? `: ${text(f.reason)}` : ''}.`,
  ),
  inference_failed: kind(
    502,
    true,
    (f) => `The model "${text(f.model)}" failed: ${text(f.reason)}.`,
  ),
  model_unavailable: kind(503, true, (f) => `The model "${text(f.model)}" is not ready.`),
  draining: kind(503, true, () => 'The server is shutting down; try again.'),
  queue_full: kind(503, true, (f) =>
    f.waited_seconds === undefined
      ? `The queue holds ${text(f.waiting)} ${text(f.what ?? 'jobs')}, its limit. Try again later.`
      : `There was no time to look at the file within ${text(f.waited_seconds)} s. Try again later.`,
  ),
  record_unreadable: kind(
    500,
    false,
    () =>
      'The record of the job was written by another version of the service and cannot be read. Send the request that made it again.',
  ),
  deadline_exceeded: kind(
    504,
    true,
    (f) => `The job was not done within ${text(f.limit_seconds)} s.`,
  ),
  worker_lost: kind(
    500,
    true,
    (f) => `The worker was lost ${text(f.times)} times while it ran the job.`,
  ),
  decode_failed: kind(
    500,
    true,
    (f) => `The ${text(f.what ?? 'media')} could not be read to its end: ${text(f.reason)}.`,
  ),
  encode_failed: kind(500, true, (f) => `The result could not be encoded: ${text(f.reason)}.`),
  storage_failed: kind(500, true, (f) => `A file could not be stored: ${text(f.reason)}.`),
  storage_full: kind(
    507,
    true,
    () =>
      'The server has no room for more media at the moment. Nothing was stored; try again later.',
  ),
} as const satisfies Record<string, Kind>;

export type FailureCode = keyof typeof failures;

/** One fault of a request: where it is (JSON pointer), what it is, and what would have been allowed. */
export type Fault = {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
  readonly allowed?: readonly (string | number)[];
};

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
    super(failures[code].say(facts), { cause: options.cause });
    this.code = code;
    this.facts = facts;
    this.faults = options.faults ?? [];
  }

  get status(): number {
    return failures[this.code].status;
  }

  get retryable(): boolean {
    return failures[this.code].retryable;
  }
}

/** The Failure an unknown error is told as; the error itself stays its cause, for the log. */
export const asFailure = (error: unknown): Failure =>
  error instanceof Failure ? error : new Failure('internal_error', {}, { cause: error });
