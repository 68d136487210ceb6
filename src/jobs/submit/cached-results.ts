import type { SubmitParts } from './submission.ts';

/**
 * Forgets a cached result that cannot be given again, so that the work is done again: its file is gone before its time,
 * or another version of the service recorded it. The entries themselves are written and read by the scripts of `jobs/`,
 * in one step with the job. Whether one is left that can be given.
 */
export const dropIfGone = async (
  { stores, files, jobs }: Pick<SubmitParts, 'stores' | 'files' | 'jobs'>,
  fingerprint: string,
): Promise<boolean> => {
  const entry = `${stores.prefix}:cache:${fingerprint}`;
  const jobId = await stores.redis.get(entry);
  if (jobId === null) return false;
  const file = await jobs.resultFile(jobId);
  if (file !== null && (await files.hasResult(file))) return true;
  await stores.redis.del(entry);
  return false;
};
