/** What the hashes of webhooks in Redis have in common. */
import { z } from 'zod';
import type { Redises } from '../redis/script.ts';

/** Milliseconds; null where the field is empty or missing. */
export const timeOrNull = z
  .string()
  .default('')
  .transform((text) => (text === '' ? null : Number(text)));

export const hash = ({ redis, prefix }: Redises, key: string): Promise<Record<string, string>> =>
  redis.hgetall(`${prefix}:${key}`);

export const iso = (timeMs: number): string => new Date(timeMs).toISOString();
export const isoOrNull = (timeMs: number | null): string | null =>
  timeMs === null ? null : iso(timeMs);

/** The JSON text of a field, read by the schema. */
export const json = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema);
