import type { Files } from '../files/store.ts';
import type { Redises } from '../redis.ts';

/**
 * Forgets a cached result whose file is gone before its time, so that the work is done again. Which job made the
 * result of a fingerprint is written and read by the scripts of `jobs/`, in one step with the job itself.
 */
export const dropIfGone = async (
  { redis, prefix }: Redises,
  files: Pick<Files, 'hasResult'>,
  fingerprint: string,
  fileOf: (jobId: string) => Promise<string | undefined>,
): Promise<void> => {
  const entry = `${prefix}:cache:${fingerprint}`;
  const jobId = await redis.get(entry);
  if (jobId === null) return;
  const file = await fileOf(jobId);
  if (file === undefined || !(await files.hasResult(file))) await redis.del(entry);
};
