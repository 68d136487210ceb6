/** The job that a signed link leads to. */
import { z } from 'zod';
import { Failure } from '../../errors.ts';
import type { JobRecord } from '../../jobs/record/record.ts';
import type { LinkTarget } from '../../storage/links.ts';
import type { Parts } from '../parts.ts';

export const LinkQuery = z.strictObject({
  expires: z.string().optional().describe('of a signed link'),
  signature: z.string().optional().describe('of a signed link; without it a key is needed'),
});
type LinkQuery = z.infer<typeof LinkQuery>;

/** The link is proof enough; it names no account. Failure not_found | result_expired | link_expired. */
export const jobByLink = async (
  target: LinkTarget,
  id: string,
  query: LinkQuery,
  { links, jobs }: Pick<Parts, 'links' | 'jobs'>,
): Promise<JobRecord> => {
  links.check(target, id, query);
  const job = await jobs.find(id);
  if (!job) throw new Failure('result_expired');
  return job;
};
