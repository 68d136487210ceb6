import { LRUCache } from 'lru-cache';
import type { Redises } from '../../redis/script.ts';
import type { Files } from '../../storage/files.ts';
import type { Jobs } from '../record/jobs.ts';

export type CachedResults = ReturnType<typeof openCachedResults>;

/** How many results that are requested repeatedly are remembered by name. */
const MOST_KNOWN = 1000;

/**
 * Which earlier results can be given again: those whose file is there. The entries of the cache are written and read by the
 * scripts of `jobs/`, in one step with the job; submit.lua gives only the result of the job that its caller has seen.
 */
export const openCachedResults = (
  { redis, prefix }: Redises,
  files: Pick<Files, 'hasResult'>,
  jobs: Pick<Jobs, 'find'>,
) => {
  const known = new LRUCache<string, { readonly jobId: string; readonly file: string }>({
    max: MOST_KNOWN,
  });
  const entry = (fingerprint: string) => `${prefix}:cache:${fingerprint}`;

  /**
   * Looks for the result that an entry names; answers the job's id, or '' and forgets the entry: the file is gone before its
   * time, or another version of the service recorded the job.
   */
  const look = async (fingerprint: string, jobId: string): Promise<string> => {
    const file = (await jobs.find(jobId))?.outcome?.file;
    if (file !== undefined && (await files.hasResult(file))) {
      known.set(fingerprint, { jobId, file });
      return jobId;
    }
    await redis.del(entry(fingerprint));
    return '';
  };

  return {
    look,
    /** The job whose result this process found under the fingerprint before, and still finds; '' for none. */
    seen: async (fingerprint: string): Promise<string> => {
      const last = known.get(fingerprint);
      return last && (await files.hasResult(last.file)) ? last.jobId : '';
    },
    has: async (fingerprint: string): Promise<boolean> => {
      const jobId = await redis.get(entry(fingerprint));
      return jobId !== null && (await look(fingerprint, jobId)) !== '';
    },
  };
};
