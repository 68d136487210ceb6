import { z } from 'zod';
import { Job, JobList, JobListQuery } from '../../contract/job.ts';
import { showJob } from '../answer-job.ts';
import { route } from '../route.ts';

export const JobParams = z.strictObject({ id: z.string() });

export const listJobs = route({
  method: 'get',
  path: '/v1/jobs',
  summary: 'Jobs of the account, newest first',
  scope: 'read',
  rate: 'read',
  query: JobListQuery,
  answer: { status: 200, body: JobList },
  fails: [],
  handle: async ({ query, caller }, parts) => {
    const { data, has_more } = await parts.jobs.list(caller.account, query);
    const shown = await Promise.all(data.map((job) => showJob(job, parts)));
    return { object: 'list' as const, data: shown, has_more };
  },
});

export const getJob = route({
  method: 'get',
  path: '/v1/jobs/:id',
  summary: 'How a job stands',
  scope: 'read',
  rate: 'read',
  params: JobParams,
  answer: { status: 200, body: Job },
  fails: ['not_found'],
  handle: async ({ params, caller }, parts) =>
    showJob(await parts.jobs.get(caller.account, params.id), parts),
});

export const cancelJob = route({
  method: 'post',
  path: '/v1/jobs/:id/cancel',
  summary: 'Stop a job at no cost; again changes nothing',
  scope: 'create',
  rate: 'read',
  params: JobParams,
  answer: { status: 200, body: Job },
  fails: ['not_found'],
  handle: async ({ params, caller }, parts) =>
    showJob(await parts.jobs.cancel(caller.account, params.id), parts),
});

export const eraseJob = route({
  method: 'delete',
  path: '/v1/jobs/:id',
  summary: 'Erase the media of a job now; stops it when it runs',
  scope: 'create',
  rate: 'read',
  params: JobParams,
  answer: { status: 200, body: Job },
  fails: ['not_found'],
  handle: async ({ params, caller }, parts) =>
    showJob(await parts.jobs.erase(caller.account, params.id), parts),
});
