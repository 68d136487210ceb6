/** The result of an earlier job as the media of the next request, by its link or by the job's id: nothing is fetched. */
import { Failure } from '../../errors.ts';
import type { JobRecord } from '../../jobs/record/record.ts';
import type { KeptFile } from '../../storage/stored-file.ts';
import { resultOf } from '../answer/result-of.ts';
import type { Parts } from '../parts.ts';

type Needed = Pick<Parts, 'jobs' | 'files' | 'links' | 'config'>;

/**
 * The result that an address of this service names; null for any other address. Failure not_found for a job that is unknown
 * or another account's, and for a wrong signature; result_not_ready; job_canceled; result_expired, of `copy` too;
 * validation_failed for a job that failed.
 */
export const takeResult = async (
  account: string,
  url: string,
  parts: Needed,
): Promise<KeptFile | null> => {
  const id = jobIn(url, parts.config.http.publicUrl);
  if (id === null) return null;
  const job = await jobOf(account, id, url, parts);
  if (job.status === 'failed') {
    const detail = `Expected a job that succeeded; ${id} failed${job.error ? ` with ${job.error.code}` : ''}.`;
    throw new Failure('validation_failed', { detail });
  }
  const { outcome } = await resultOf(job, parts.files);
  const copy = async (): Promise<string> => {
    const path = await parts.files.copyResult(outcome.file);
    if (path === null) throw new Failure('result_expired');
    return path;
  };
  return { copy, bytes: outcome.bytes, sha256: outcome.sha256 };
};

const jobIn = (url: string, publicUrl: string): string | null => {
  const [asked, own] = [new URL(url), new URL(publicUrl)];
  const prefix = `${own.pathname.replace(/\/$/, '')}/v1/jobs/`;
  if (asked.origin !== own.origin || !asked.pathname.startsWith(prefix)) return null;
  return /^(job_\w+)\/result$/.exec(asked.pathname.slice(prefix.length))?.[1] ?? null;
};

/** A caller that may not see a job gets the same answer as if there were none. */
const jobOf = async (
  account: string,
  id: string,
  url: string,
  { jobs, links }: Needed,
): Promise<JobRecord> => {
  const { searchParams } = new URL(url);
  const signature = searchParams.get('signature');
  const expires = searchParams.get('expires') ?? undefined;
  try {
    if (signature !== null) links.check('result', id, { expires, signature });
    return await jobs.get(account, id);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'not_found') throw error;
    throw new Failure('not_found', { what: `result of the job ${id}` }, { cause: error });
  }
};
