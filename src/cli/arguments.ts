/** How the text of an argument or option becomes a value that the API takes. */
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { expected } from '../text/expected.ts';

/** The value as the API's schema for it has it; the schema's own sentence when it does not fit. */
const parsed = <T extends z.ZodType>(schema: T, value: unknown): z.output<T> => {
  const { data, error } = schema.safeParse(value, { error: expected });
  if (error) throw new InvalidArgumentError(`${error.issues[0]?.message}.`);
  return data;
};

export const number =
  (schema: z.ZodNumber) =>
  (text: string): number =>
    parsed(schema, text.trim() === '' ? undefined : Number(text));

/** One of these, as it stands. */
export const choice =
  <T extends string>(all: readonly T[]) =>
  (text: string): T =>
    parsed(z.enum(all), text);

export const text = (schema: z.ZodString) => (value: string) => parsed(schema, value);
