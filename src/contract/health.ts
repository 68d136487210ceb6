import { z } from 'zod';

export const Health = z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health' });

export const Readiness = z
  .strictObject({
    ready: z.boolean(),
    missing: z.array(z.string()).describe('what must still come up, in words; empty when ready'),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof Readiness>;
