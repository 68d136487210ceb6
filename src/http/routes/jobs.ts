import { z } from 'zod';
import { canceledExample } from '../../contract/examples.ts';
import type { Job, jobSchemas } from '../../contract/job.ts';
import { showJob } from '../answer/answer-job.ts';
import { oncePerKey } from '../idempotent.ts';
import type { Parts } from '../parts.ts';
import { route } from '../route.ts';

export const JobParams = z.strictObject({ id: z.string().describe('of the job') });

type Leaving = Parameters<typeof oncePerKey>[0] & { readonly params: z.output<typeof JobParams> };

export const jobRoutes = ({
  Job,
  JobList,
  JobListQuery,
  example,
}: ReturnType<typeof jobSchemas>) => {
  const listJobs = route({
    method: 'get',
    path: '/v1/jobs',
    operationId: 'listJobs',
    tag: 'Jobs',
    summary: 'Jobs of the account, newest first',
    description:
      'For the next page, `starting_after` is the id of the last job of this one. Whoever gave up a request before its answer finds its job by `idempotency_key`; while that job is still being made the answer is 409 `idempotency_in_progress`.',
    scope: 'read',
    rate: 'read',
    query: JobListQuery,
    answer: {
      status: 200,
      body: JobList,
      example: example && { object: 'list', data: [example], has_more: false },
    },
    fails: ['idempotency_in_progress'],
    handle: async ({ query: { idempotency_key: key, ...query }, caller: { account } }, parts) => {
      const only = key === undefined ? undefined : await parts.idempotency.jobId(account, key);
      const { data, has_more } = await parts.jobs.list(account, { ...query, only });
      const shown = await Promise.all(data.map((job) => showJob(job, parts)));
      return { object: 'list' as const, data: shown, has_more };
    },
  });

  const getJob = route({
    method: 'get',
    path: '/v1/jobs/:id',
    operationId: 'getJob',
    tag: 'Jobs',
    summary: 'How a job stands',
    description:
      'While it runs, `progress` tells the stage and what is left; at its end, either `result` or `error` is there. A job of another account is not found.',
    scope: 'read',
    rate: 'read',
    params: JobParams,
    answer: { status: 200, body: Job, example },
    fails: ['not_found', 'record_unreadable'],
    handle: async ({ params, caller }, parts) =>
      showJob(await parts.jobs.get(caller.account, params.id), parts),
  });

  const leaving = {
    scope: 'create',
    rate: 'read',
    idempotent: true,
    params: JobParams,
    answer: { status: 200, body: Job, example: example && canceledExample(example) },
    fails: ['not_found', 'record_unreadable'],
  } as const;

  const cancelJob = route({
    method: 'post',
    path: '/v1/jobs/:id/cancel',
    operationId: 'cancelJob',
    tag: 'Jobs',
    summary:
      'Cancel a job, at no cost; one that several requests share stops when the last has cancelled',
    ...leaving,
    handle: (input, parts) => leave(input, parts.jobs.cancel, parts),
  });

  const eraseJob = route({
    method: 'delete',
    path: '/v1/jobs/:id',
    operationId: 'eraseJob',
    tag: 'Jobs',
    summary:
      'Erase the media of a job now; an unfinished job is cancelled, a shared one by the last request',
    ...leaving,
    handle: (input, parts) => leave(input, parts.jobs.erase, parts),
  });

  return { listJobs, getJob, cancelJob, eraseJob };
};

/**
 * One caller leaves a job. When others share the job, a second call would count as one of them leaving; with an
 * Idempotency-Key a call that is sent again is recognised.
 */
const leave = async (
  input: Leaving,
  act: Parts['jobs']['cancel' | 'erase'],
  parts: Parts,
): Promise<Job> => {
  const { account } = input.caller;
  const { id } = input.params;
  const job = await oncePerKey(input, parts, {
    make: async (claim) => {
      const left = await act(account, id);
      if (claim) await parts.idempotency.answer(claim, id);
      return left;
    },
    replay: () => parts.jobs.get(account, id),
  });
  return showJob(job, parts);
};
