import type { FailureCode } from '../../errors.ts';

/** What may be wrong with the media of any operation. */
export const mediaFailures = [
  'unsupported_media_type',
  'file_too_large',
  'media_too_long',
  'resolution_too_large',
  'url_not_allowed',
  'url_fetch_failed',
  'upload_not_found',
  // Where the media is the result of an earlier job.
  ...(['not_found', 'result_not_ready', 'result_expired', 'job_canceled'] as const),
  'media_unreadable',
  'no_video_stream',
  'model_unavailable',
  'queue_full',
  'draining',
] as const satisfies FailureCode[];

/** The failures with which a job of any operation may end without a result: for callers that wait for it or ask for it. */
export const endFailures = [
  'job_canceled',
  'result_expired',
  'media_unreadable',
  'inference_failed',
  'model_unavailable',
  'deadline_exceeded',
  'worker_lost',
  'record_unreadable',
  'decode_failed',
  'encode_failed',
  'signing_failed',
  'storage_failed',
  'storage_full',
  'storage_unavailable',
] as const satisfies FailureCode[];

/** Why there may be no job, and how one may end. */
export const jobFailures = [
  'insufficient_credits',
  'concurrency_limited',
  ...endFailures,
] as const satisfies FailureCode[];

/** Why a route that takes a key or a signed link may refuse both. */
export const linkFailures = [
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'insufficient_scope',
  'rate_limited',
  'not_found',
  'database_unavailable',
] as const satisfies FailureCode[];
