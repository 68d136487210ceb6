import { z } from 'zod';

export const Health = z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health' });

export const Readiness = z
  .strictObject({
    ready: z.boolean(),
    missing: z
      .array(z.string())
      .describe('what is not ready yet, one sentence each; empty when ready'),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof Readiness>;
