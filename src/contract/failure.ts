import { z } from 'zod';

const Fault = z
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
    type: z
      .string()
      .regex(/^\/problems\/[a-z_]+$/)
      .describe('page that explains the code: a path below the address of the service'),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('what was expected and what was received'),
    instance: z.string().describe('path of the request'),
    code: z.string().describe('what went wrong; never changes'),
    request_id: z.string(),
    retryable: z.boolean().describe('whether the same request may succeed later'),
    charged: z.number().describe('credits; a failure costs none'),
    errors: z.array(Fault).optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof Problem>;

/** What the page of a code shows. */
export const ProblemType = z
  .strictObject({
    code: z.string(),
    title: z.string(),
    status: z.int(),
    retryable: z.boolean().describe('whether the same request may succeed later'),
    means: z.string().describe('what happened'),
    advice: z.string().describe('what to do'),
    example: Problem,
  })
  .meta({ id: 'ProblemType' });
export type ProblemType = z.infer<typeof ProblemType>;
