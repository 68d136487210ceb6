import { Estimate } from '../../contract/credits.ts';
import { Job } from '../../contract/job.ts';
import type { FailureCode } from '../../errors.ts';
import { prepareUpscale } from '../../operations/upscale/prepare.ts';
import { UpscaleRequest, UpscaleResult } from '../../operations/upscale/request.ts';
import { makeEstimate, makeJob } from '../order.ts';
import { route } from '../route.ts';
import { jobFailures, mediaFailures } from './failures.ts';

const refusals = [...mediaFailures, 'output_too_large'] as const satisfies FailureCode[];

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
  fails: [...refusals, ...jobFailures],
  handle: (input, parts) => makeJob(input, prepareUpscale, UpscaleResult, parts),
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
  fails: refusals,
  handle: (input, parts) => makeEstimate(input, prepareUpscale, parts),
});
