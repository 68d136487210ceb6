import { Failure } from '../../errors.ts';
import { failureOf } from '../../jobs/record/present.ts';
import {
  isOver,
  type JobOutcome,
  type JobRecord,
  type ReadableJob,
} from '../../jobs/record/record.ts';
import type { Files } from '../../storage/files.ts';

type Available = {
  readonly job: ReadableJob;
  readonly outcome: JobOutcome;
  readonly expires_at: number;
};

/**
 * The outcome of a job whose result file exists at this moment.
 * Failure result_not_ready while it is unfinished; the job's own error, whose `retryable` is about the request that made
 * the job; job_canceled; result_expired.
 */
export const resultOf = async (
  job: JobRecord,
  files: Pick<Files, 'hasResult'>,
): Promise<Available> => {
  const { status, error, outcome, expires_at, erased } = job;
  if (!isOver(status)) throw new Failure('result_not_ready', { status });
  if (error) throw failureOf(error);
  if (status === 'canceled') throw new Failure('job_canceled');
  const isKept =
    job.unreadable === null && outcome && !erased && expires_at !== null && expires_at > Date.now();
  if (!isKept || !(await files.hasResult(outcome.file))) throw new Failure('result_expired');
  return { job, outcome, expires_at };
};
