import { z } from 'zod';

/** A text that is JSON of this schema. */
export const jsonText = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text, { addIssue }): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        addIssue({ code: 'custom', message: 'Expected JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);
