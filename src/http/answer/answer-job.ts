import type { Job, JobResult } from '../../contract/job.ts';
import type { Metadata } from '../../contract/webhooks.ts';
import { Failure } from '../../errors.ts';
import { presentJob, presentResult } from '../../jobs/record/present.ts';
import { isOver, type JobRecord } from '../../jobs/record/record.ts';
import { waitForEnd } from '../../jobs/record/wait.ts';
import type { Context } from '../context.ts';
import type { Parts } from '../parts.ts';
import { whileWanted } from '../while-wanted.ts';
import { waitOf } from './prefer.ts';
import { resultOf } from './result-of.ts';

type Made = {
  readonly job: JobRecord;
  readonly joined: boolean;
  /** Its result's file was there when the job was made of it, just now. */
  readonly cached?: boolean;
  /** This request's own: the job has that of the request that made it. */
  readonly metadata: Metadata;
};

/**
 * 200 and the result of a job that ends in time, a problem when it ends without one, 202 and the job otherwise.
 * When the caller hangs up, the wait ends and the job goes on.
 */
export const answerJob = async (
  ctx: Context,
  made: Made,
  parts: Parts,
): Promise<JobResult | Job> => {
  const { ms, applied, asJob } = waitOf(ctx.get('prefer'), parts.config.http.waitLimitMs);
  if (applied !== '') ctx.set('Preference-Applied', applied);
  const job =
    ms === 0 || isOver(made.job.status) ? made.job : await ended(ctx, made.job, ms, parts);
  if (!asJob && isOver(job.status)) return answerOf(job, made, parts);
  ctx.status = 202;
  ctx.set('Location', `${parts.config.http.publicPath}/v1/jobs/${job.id}`);
  return { ...(await showJob(job, parts)), metadata: made.metadata };
};

export type ShowParts = Pick<Parts, 'operations' | 'jobs' | 'config' | 'links'>;

export const showJob = async (
  job: JobRecord,
  { operations, jobs, config, links }: ShowParts,
): Promise<Job> =>
  presentJob(job, {
    operations,
    publicUrl: config.http.publicUrl,
    place: await jobs.place(job),
    link: links.url,
  });

const ended = (ctx: Context, { account, id }: JobRecord, ms: number, parts: Parts) =>
  whileWanted(ctx, parts.draining, (signal) =>
    waitForEnd(parts, { account, id }, { timeoutMs: ms, signal }),
  );

/** The failures are those of `resultOf`. */
const answerOf = async (
  job: JobRecord,
  { joined, cached = false }: Made,
  { operations, links, files }: Parts,
): Promise<JobResult> => {
  if (!cached) await resultOf(job, files);
  const result = presentResult(job, { operations, link: links.url });
  if (!result) throw new Failure('result_expired');
  // The request that made the job is charged, the requests that joined it are not.
  return joined ? { ...result, cached: true, credits_used: 0 } : result;
};
