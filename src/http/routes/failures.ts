import type { FailureCode } from '../../errors.ts';

/** What may be wrong with the media of any operation. */
export const mediaFailures = [
  'unsupported_media_type',
  'file_too_large',
  'media_too_long',
  'resolution_too_large',
  'url_not_allowed',
  'url_fetch_failed',
  'media_unreadable',
  'no_video_stream',
  'model_unavailable',
  'queue_full',
  'draining',
] as const satisfies FailureCode[];

/** Why there may be no job, and what one may end in, told directly to a caller that waited for it. */
export const jobFailures = [
  'insufficient_credits',
  'concurrency_limited',
  'result_not_ready',
  'result_expired',
  'inference_failed',
  'deadline_exceeded',
  'worker_lost',
  'decode_failed',
  'encode_failed',
  'storage_failed',
] as const satisfies FailureCode[];
