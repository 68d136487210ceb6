/** Fields whose text may be spelled in more ways than their schema shows; `http/body/canonical.ts` knows the ways. */
import { z } from 'zod';

/** format: the name of a file format. source: where media is. */
type Spelling = { readonly of: 'format' | 'source' };

export const spellings = z.registry<Spelling>();

/** Ids that can stand in the place of an address: of a job, whose result is meant, and of an upload. */
export const keptIds = { job: /^job_\w+$/, upload: /^upl_\w+$/ } as const;
