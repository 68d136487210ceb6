import { z } from 'zod';

export const Fault = z
  .strictObject({
    pointer: z.string().describe('JSON pointer to the field'),
    code: z.string(),
    detail: z.string(),
    allowed: z.array(z.union([z.string(), z.number()])).optional(),
  })
  .meta({ id: 'Fault' });

/** RFC 9457 problem+json; the same object is `error` in a failed job. */
export const Problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string(),
    request_id: z.string(),
    retryable: z.boolean(),
    charged: z.number(),
    errors: z.array(Fault).optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof Problem>;
