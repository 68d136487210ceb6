import { Estimate } from '../../contract/credits.ts';
import { Job } from '../../contract/job.ts';
import type { FailureCode } from '../../errors.ts';
import { prepareLipsync } from '../../operations/lip-sync/prepare.ts';
import { LipsyncRequest, LipsyncResult } from '../../operations/lip-sync/request.ts';
import { makeEstimate, makeJob } from '../order.ts';
import { route } from '../route.ts';
import { jobFailures, mediaFailures } from './failures.ts';

const refusals = [
  ...mediaFailures,
  'no_audio_stream',
  'output_too_large',
] as const satisfies FailureCode[];

export const createLipsync = route({
  method: 'post',
  path: '/v1/lipsync',
  summary: 'Make the mouth of a clip or a portrait say what the audio says',
  scope: 'create',
  rate: 'create',
  creates: true,
  idempotent: true,
  waits: true,
  body: LipsyncRequest,
  sources: [['video', 'image'], ['audio']],
  answer: { status: 200, description: 'The result, when it was waited for', body: LipsyncResult },
  also: [{ status: 202, description: 'The job, when it goes on', body: Job }],
  fails: [...refusals, ...jobFailures, 'no_face_detected', 'speaker_not_found'],
  handle: (input, parts) => makeJob(input, prepareLipsync, LipsyncResult, parts),
});

export const createLipsyncEstimate = route({
  method: 'post',
  path: '/v1/lipsync/estimate',
  summary: 'What the same request would cost; makes no job',
  scope: 'create',
  rate: 'create',
  body: LipsyncRequest,
  sources: [['video', 'image'], ['audio']],
  answer: { status: 200, body: Estimate },
  fails: refusals,
  handle: (input, parts) => makeEstimate(input, prepareLipsync, parts),
});
