/**
 * What each failure means to the caller, and what to do: for the pages at `/problems/{code}`. `facts` make an
 * example of it, for these pages and for the OpenAPI document.
 */
import type { ProblemType } from '../../contract/failure.ts';
import { Failure, type FailureCode, type Fault } from '../../errors.ts';
import { problemOf } from '../../problem.ts';

type Note = {
  readonly means: string;
  readonly advice: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly faults?: readonly Fault[];
  /** The path of the example, where only one operation fails so. */
  readonly instance?: string;
};

const later = 'Wait as long as the header Retry-After says, then send the same request again.';
const otherFile = 'Send another file, or convert this one first.';
const newKey = 'Use a key that is valid. The operator of the service issues keys.';

const notes: Readonly<Record<FailureCode, Note>> = {
  invalid_request: {
    means: 'What arrived is not a request as HTTP/1.1 defines it.',
    advice: 'Look at the reason in `detail`, and at the client or proxy that wrote the request.',
    facts: { reason: 'it has no Host header' },
  },
  invalid_json: {
    means: 'The body was sent as JSON, but it cannot be parsed.',
    advice: 'Correct the text at the place that `detail` names.',
    facts: { reason: 'Unexpected end of JSON input' },
  },
  invalid_multipart: {
    means: 'The body was sent as multipart/form-data, but it cannot be read.',
    advice:
      'Let your HTTP library build the body and its Content-Type, boundary included; do not set the header yourself.',
    facts: { reason: 'it ended before its last boundary' },
  },
  invalid_idempotency_key: {
    means: 'The header Idempotency-Key is empty, too long, or has characters that are not allowed.',
    advice: 'Use a random identifier, such as a UUID.',
    facts: { came: '300 characters' },
  },
  missing_api_key: {
    means: 'The request came without an API key.',
    advice: 'Send the header `Authorization: Bearer <key>`.',
    facts: { came: 'none' },
  },
  invalid_api_key: {
    means: 'The key is not valid: it is unknown, revoked or mistyped.',
    advice: newKey,
  },
  expired_api_key: {
    means: 'The key was valid, but it has expired.',
    advice: newKey,
    facts: { expired_at: '2026-01-31T00:00:00.000Z' },
  },
  insufficient_scope: {
    means: 'The key is valid, but it may not do this.',
    advice: 'Use a key with the scope that `detail` names.',
    facts: { needed: 'create' },
  },
  too_many_webhooks: {
    means: 'The account has registered as many webhook endpoints as it may.',
    advice: 'Delete one that is not needed: `DELETE /v1/webhooks/{id}`.',
    facts: { count: 20 },
  },
  signing_failed: {
    means:
      'The result was made, but its content credentials could not be written, so it was not given out.',
    advice:
      'Send the request again. When it fails each time, the operator has to look at the certificate.',
    facts: { reason: 'the signer did not answer in time' },
  },
  insufficient_credits: {
    means: 'The account has fewer credits than the job may cost at most.',
    advice:
      'Ask the operator for credits, or ask for less: a smaller scale, a cheaper model, a shorter video. An estimate shows the price without making a job.',
    facts: { required_credits: 40, available_credits: 12 },
  },
  not_found: {
    means: 'There is nothing at this address, or it belongs to another account.',
    advice: 'Check the path and the identifier, and that the key belongs to the right account.',
    facts: { what: 'job with this id' },
  },
  method_not_allowed: {
    means: 'The address exists, but not for this method.',
    advice: 'Use one of the methods in the header Allow.',
    facts: { allowed: ['GET', 'HEAD', 'DELETE'], method: 'PUT' },
  },
  request_timeout: {
    means: 'The request began, but too little of it arrived in time.',
    advice: 'Send it again over a better connection.',
  },
  result_expired: {
    means: 'The result is no longer stored: its time is over, or it was erased.',
    advice: 'Send the request again for a new result.',
  },
  link_expired: {
    means: 'A signed link works for a limited time, and this one has expired.',
    advice: 'Get the job with your API key: its `urls` hold new links.',
  },
  models_changed: {
    means: 'Someone else changed the releases of this model at the same time.',
    advice: 'Look at the releases again, and decide again.',
    facts: { slot: 'photo', now: 'photo@r2 is stable' },
  },
  release_refused: {
    means: 'The release does not pass its checks, or may not be moved like this.',
    advice: 'Do what `detail` asks for, then add or move the release again.',
    facts: { reason: 'photo@r2 is the stable release, which is not unloaded' },
  },
  idempotency_in_progress: {
    means: 'A request with the same Idempotency-Key has begun and is not finished.',
    advice: 'Send it again later: then you get the answer to the first one.',
  },
  result_not_ready: {
    means: 'The job exists, but it has not finished, so there is nothing to download yet.',
    advice:
      'Wait for the end of the job: follow its events, or ask again after as many seconds as the header Retry-After says.',
    facts: { status: 'processing' },
  },
  job_canceled: {
    means: 'The job was cancelled before it had a result. Nothing was charged.',
    advice: 'Send the request again if you want the result after all.',
  },
  file_too_large: {
    means: 'A file, or a body, has more bytes than is allowed.',
    advice: 'Send a smaller file. GET /v1/models lists the limits of each model.',
    facts: { what: 'An image', limit_bytes: 52_428_800, came: 60_000_000 },
  },
  media_too_long: {
    means: 'The video or the sound lasts longer than is allowed, or has too many frames.',
    advice: 'Cut it. GET /v1/models lists the limits of each model.',
    facts: { what: 'video', limit_seconds: 300, came_seconds: 412 },
  },
  resolution_too_large: {
    means: 'The picture or video has more pixels than is allowed.',
    advice: 'Scale it down first. GET /v1/models lists the limits of each model.',
    facts: { limit: '4096x2304', came: '7680x4320' },
  },
  output_too_large: {
    means: 'The input is within the limits, but the result would not be.',
    advice: 'Choose a smaller scale, or send a smaller or shorter input.',
    facts: { limit: '16384 pixels on each side', came: '24000x16000' },
  },
  range_not_satisfiable: {
    means: 'The header Range asks for bytes that the file does not have.',
    advice: 'Ask for a range within the length that the header Content-Range states.',
    facts: { bytes: 133_255 },
  },
  header_too_large: {
    means: 'The headers of the request are too long.',
    advice: 'Send fewer or shorter headers; often it is a cookie that grew.',
    facts: { limit_bytes: 16_384 },
  },
  unsupported_media_type: {
    means: 'This kind of content is not accepted here. The bytes of the file decide, not its name.',
    advice: otherFile,
    facts: { expected: 'an image or a video', came: 'application/pdf' },
  },
  validation_failed: {
    means: 'Fields or parameters of the request have values that are not allowed.',
    advice:
      'Every fault is an entry of `errors`: `pointer` says where, `detail` what was expected.',
    faults: [
      {
        pointer: '/scale',
        code: 'not_allowed',
        detail: 'Expected 2, 4 or 8; got 3.',
        allowed: [2, 4, 8],
      },
    ],
  },
  idempotency_key_reused: {
    means: 'This Idempotency-Key was used before, with another request.',
    advice: 'Use a new key for every new request, and the same key only to repeat one.',
  },
  url_not_allowed: {
    means:
      'The service does not call this URL, of a file or of a webhook: its address is private or reserved, or it has a user name or a port that is not allowed.',
    advice:
      'Use a public http or https URL, or send the file itself. The operator opens a host of a private network, such as the receiver of a webhook that you try out, by FETCH_ALLOW_HOSTS.',
    facts: { url: 'http://192.168.0.10/photo.jpg', reason: 'its address is private' },
  },
  url_fetch_failed: {
    means: 'The server behind the URL did not give the file.',
    advice:
      'Check that the URL opens without a login, then send the request again; or send the file itself. After an answer such as 403 or 404 `retryable` is false: the URL has to change, or what its server says of it.',
    facts: { url: 'https://media.example.com/photo.jpg', reason: 'the server answered 503' },
  },
  upload_not_found: {
    means: 'The URL names an upload of this service, but there is no such upload.',
    advice: 'Upload the file again, with a key of the same account.',
    facts: { url: 'https://api.example.com/v1/uploads/upl_8fK2mQ' },
  },
  media_unreadable: {
    means:
      'The file is of a known kind, but it is damaged, or uses a feature that no decoder here supports.',
    advice: otherFile,
    facts: { what: 'image', reason: 'its data ends too early' },
  },
  no_video_stream: {
    means: 'A video was expected, but the file has no pictures.',
    advice: 'Check whether the file is a sound; then send the right one.',
  },
  no_audio_stream: {
    means: 'A sound was expected, but the file has none.',
    advice: 'Check whether the file has a sound track; then send the right one.',
    instance: '/v1/lipsync',
  },
  no_face_detected: {
    means: 'No face was found whose mouth could be moved.',
    advice:
      'Use a clip or portrait in which the face is larger, not turned away and not covered. A drawn face is found where it looks at the camera and has the proportions of a person: animals, emoji and heads of a few strokes are not.',
    facts: { smallest: "64 pixels in width and 1/20 of the picture's longer side" },
    instance: '/v1/lipsync',
  },
  unsupported_option_for_model: {
    means: 'The model does not support the value of an option.',
    advice:
      'Leave the option out, or choose another model: `GET /v1/models` lists what each one supports.',
    facts: { detail: 'Expected effort best for the model detail; got realtime.' },
  },
  speaker_not_found: {
    means: 'The field `speaker` points at a place where no face is.',
    advice:
      'Give a point inside the face, in pixels of the picture as shown, and the frame in which it is there.',
    facts: { reason: 'there is no face at (10, 20) in frame 0' },
    instance: '/v1/lipsync',
  },
  rate_limited: {
    means: 'The key sent more requests in a minute than its rate allows.',
    advice: later,
    facts: { retry_after_seconds: 12 },
  },
  concurrency_limited: {
    means: 'The account has too many jobs waiting, or too many requests open.',
    advice: 'Wait until some have finished, then send the request again.',
    facts: { queued: 100, limit: 100 },
  },
  upload_quota_exceeded: {
    means: 'The account keeps as many uploads as it may.',
    advice:
      'Delete uploads that you no longer need (GET /v1/uploads lists them, DELETE /v1/uploads/{id} deletes one), wait until older ones expire, or send the file with the request itself.',
    facts: {
      limit_files: 100,
      limit_bytes: 10_737_418_240,
      used_files: 100,
      used_bytes: 4_294_967_296,
      came: 1_048_576,
    },
  },
  internal_error: {
    means: 'Something failed in the service that it did not expect.',
    advice: 'Send the request again. If it fails again, tell the operator its `request_id`.',
  },
  inference_failed: {
    means: 'A model failed while it worked on the job. Nothing was charged.',
    advice: 'Send the request again. If it fails again, tell the operator its `request_id`.',
    facts: { model: 'photo', reason: 'it did not answer in time' },
  },
  model_unavailable: {
    means: 'The model is not loaded, or is being loaded.',
    advice: `${later} GET /v1/models says which models are ready.`,
    facts: { model: 'photo' },
  },
  draining: {
    means:
      'This process of the service is shutting down, for example for an update, and accepts no new work.',
    advice: later,
  },
  queue_full: {
    means: 'More work is waiting than the service accepts.',
    advice: later,
    facts: { waiting: 1000 },
  },
  record_unreadable: {
    means: 'The job was made by another version of the service. Nothing was charged.',
    advice: 'Send the request again: it makes a new job.',
    facts: { reason: 'its options have an unknown field' },
  },
  deadline_exceeded: {
    means: 'The job ran longer than a job may, and was stopped. Nothing was charged.',
    advice: 'Send the request again, at a quieter time or with a shorter video.',
    facts: { limit_seconds: 3600 },
  },
  worker_lost: {
    means: 'The process that ran the job ended, several times. Nothing was charged.',
    advice: 'Send the request again. If it fails again, tell the operator its `request_id`.',
    facts: { times: 3 },
  },
  decode_failed: {
    means: 'The decoder ended before it had read the whole file, through no fault of the file.',
    advice: 'Send the request again.',
    facts: { what: 'video', reason: 'the decoder was stopped' },
  },
  encode_failed: {
    means: 'The result was made, but could not be written as a file. Nothing was charged.',
    advice: 'Send the request again.',
    facts: { reason: 'the encoder was stopped' },
  },
  storage_failed: {
    means: 'A file could not be written or read.',
    advice: 'Send the request again. If it fails again, tell the operator its `request_id`.',
    facts: { reason: 'the disk reported an error' },
  },
  storage_unavailable: {
    means: 'The place where media is kept does not answer.',
    advice: later,
  },
  database_unavailable: {
    means:
      'The database in which jobs and credits are recorded does not answer, for example while it restarts, or takes no writes.',
    advice: later,
  },
  storage_full: {
    means: 'There is no room for more media.',
    advice: later,
  },
};

/** What the page of a code shows. */
export const explain = (code: FailureCode): ProblemType => {
  const { means, advice, facts, faults = [], instance = '/v1/upscale' } = notes[code];
  const where = { instance, requestId: 'b2f0c1de-4a53-4f0e-9a37-6f6f0c6c2d11' };
  const example = problemOf(new Failure(code, facts, { faults }), where);
  const { title, status, retryable } = example;
  return { code, title, status, retryable, means, advice, example };
};
