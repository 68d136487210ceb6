import { z } from 'zod';
import type { Redises } from '../../redis.ts';
import type { Files } from '../../storage/files.ts';

const Outcome = z.object({ file: z.string() });

/**
 * Forgets a cached result whose file is gone before its time, so that the work is done again. Which job made the
 * result of a fingerprint is written and read by the scripts of `jobs/`, in one step with the job itself.
 */
export const dropIfGone = async (
  { redis, prefix }: Redises,
  files: Pick<Files, 'hasResult'>,
  fingerprint: string,
): Promise<void> => {
  const entry = `${prefix}:cache:${fingerprint}`;
  const jobId = await redis.get(entry);
  if (jobId === null) return;
  const outcome = await redis.hget(`${prefix}:job:${jobId}`, 'outcome');
  const made = outcome === null ? null : Outcome.parse(JSON.parse(outcome));
  if (made === null || !(await files.hasResult(made.file))) await redis.del(entry);
};
