/** Results whose time is over: their jobs tell of them for longer than they are there. */
import type { Job } from '../client/contract.ts';
import { own } from './service.ts';

/** By the clock of this browser, which may be wrong. */
export const isExpired = ({ result }: Job): boolean =>
  result !== null && Date.parse(result.expires_at) <= Date.now();

/** The job, without a result that is not there any more. */
export const asItIs = async (job: Job): Promise<Job> => {
  if (!job.result || !isExpired(job)) return job;
  const { status } = await fetch(own(job.result.output_url), { method: 'HEAD' });
  return status === 410 ? { ...job, result: null } : job;
};
