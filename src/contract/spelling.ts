/** Fields that accept more spellings than their schema shows; `http/body/canonical.ts` has them. */
import { z } from 'zod';

/** format: the name of a file format. source: where media is. */
type Spelling = { readonly of: 'format' | 'source' };

export const spellings = z.registry<Spelling>();

/** Ids that are accepted where an address is: of a job, for its result, and of an upload. */
export const keptIds = { job: /^job_\w+$/, upload: /^upl_\w+$/ } as const;
