import { z } from 'zod';

/** How many entries a page of a list has at most. */
export const PageLimit = z.coerce.number().int().min(1).max(100).default(20);
