import { Estimate } from '../../contract/credits.ts';
import { Job } from '../../contract/job.ts';
import { UpscaleRequest, UpscaleResult } from '../../contract/upscale.ts';
import type { FailureCode } from '../../errors.ts';
import { acceptUpscale, estimateUpscale } from '../accept-upscale.ts';
import { answerJob } from '../answer-job.ts';
import { once } from '../idempotent.ts';
import { route } from '../route.ts';

const mediaFailures = [
  'unsupported_media_type',
  'file_too_large',
  'media_too_long',
  'resolution_too_large',
  'output_too_large',
  'url_not_allowed',
  'url_fetch_failed',
  'media_unreadable',
  'no_video_stream',
  'model_unavailable',
] as const satisfies FailureCode[];

/** What a job may end in, told directly to a caller that waited for it. */
const jobFailures = [
  'result_not_ready',
  'result_expired',
  'inference_failed',
  'deadline_exceeded',
  'worker_lost',
  'encode_failed',
  'storage_failed',
] as const satisfies FailureCode[];

export const createUpscale = route({
  method: 'post',
  path: '/v1/upscale',
  summary: 'Enlarge an image or a video',
  scope: 'create',
  rate: 'create',
  creates: true,
  idempotent: true,
  waits: true,
  body: UpscaleRequest,
  sources: [['image', 'video']],
  answer: { status: 200, description: 'The result, when it was waited for', body: UpscaleResult },
  also: [{ status: 202, description: 'The job, when it goes on', body: Job }],
  fails: [
    ...mediaFailures,
    ...jobFailures,
    'insufficient_credits',
    'concurrency_limited',
    'queue_full',
  ],
  handle: async (input, parts) => {
    const { ctx, caller } = input;
    const made = await once(input, parts, {
      make: (claim) => acceptUpscale(input, ctx.state.requestId, claim, parts),
      replay: async (before) => {
        if (before.state !== 'job')
          throw new Error('the key is kept per path, and here it makes jobs');
        return { job: await parts.jobs.get(caller.account, before.jobId), joined: before.joined };
      },
    });
    return answerJob(ctx, made, parts);
  },
});

export const createUpscaleEstimate = route({
  method: 'post',
  path: '/v1/upscale/estimate',
  summary: 'What the same request would cost; makes no job',
  scope: 'create',
  rate: 'create',
  body: UpscaleRequest,
  sources: [['image', 'video']],
  answer: { status: 200, body: Estimate },
  fails: mediaFailures,
  handle: (input, parts) => estimateUpscale(input, parts),
});
