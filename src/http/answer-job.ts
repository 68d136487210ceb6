import type { Job, JobResult } from '../contract/job.ts';
import { Failure } from '../errors.ts';
import { presentJob, presentResult } from '../jobs/record/present.ts';
import { isOver, type JobRecord } from '../jobs/record/record.ts';
import { waitForEnd } from '../jobs/record/wait.ts';
import type { Context } from './context.ts';
import type { Parts } from './parts.ts';
import { waitOf } from './prefer.ts';
import { resultOf } from './result-of.ts';
import { whileWanted } from './while-wanted.ts';

type Made = { readonly job: JobRecord; readonly joined: boolean };

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
  if (!asJob && isOver(job.status)) return answerOf(job, made.joined, parts);
  ctx.status = 202;
  ctx.set('Location', `/v1/jobs/${job.id}`);
  return showJob(job, parts);
};

export const showJob = async (
  job: JobRecord,
  { operations, jobs, config, links }: Parts,
): Promise<Job> =>
  presentJob(job, {
    operations,
    publicUrl: config.http.publicUrl,
    queuePosition: await jobs.position(job),
    link: links.url,
    linksUntilMs: linksUntil(config.files.ttlMs),
  });

const hourMs = 3_600_000;
/** Until a result can expire that is made now; the same for an hour, so that a page that asks again gets the same link. */
const linksUntil = (ttlMs: number): number => Math.ceil((Date.now() + ttlMs) / hourMs) * hourMs;

const ended = (ctx: Context, { account, id }: JobRecord, ms: number, parts: Parts) =>
  whileWanted(ctx, parts.draining, (signal) =>
    waitForEnd(parts, { account, id }, { timeoutMs: ms, signal }),
  );

/** The failures are those of `resultOf`. */
const answerOf = async (job: JobRecord, joined: boolean, parts: Parts): Promise<JobResult> => {
  const { operations, links, files } = parts;
  await resultOf(job, files);
  const result = presentResult(job, { operations, link: links.url });
  if (!result) throw new Failure('result_expired');
  // The request that made the job is charged, the requests that joined it are not.
  return joined ? { ...result, cached: true, credits_used: 0 } : result;
};
