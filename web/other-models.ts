/** Results of other models for the same input and options, to compare a result with. */
import type { Job } from '../client/contract.ts';
import { isExpired } from './expired.ts';
import { service } from './service.ts';

/** The newest for each model. Only the latest jobs are looked at. */
export const othersLike = async (job: Job): Promise<Job[]> => {
  const { kind } = job;
  const { data } = await service.jobs.list({ kind, status: 'succeeded', limit: 50 });
  const alike = data.filter(
    (one) =>
      one.result !== null &&
      !isExpired(one) &&
      one.model !== job.model &&
      workOf(one) === workOf(job),
  );
  return alike.filter((one, at) => alike.findIndex(({ model }) => model === one.model) === at);
};

/** The same for jobs that differ in nothing but the model. */
const workOf = ({ input, options }: Job): string => {
  const { model: _, ...others } = options;
  return JSON.stringify([input.sha256, 'audio' in input && input.audio, others]);
};
