import { z } from 'zod';
import { Failure } from '../../errors.ts';
import { script } from '../../redis/script.ts';
import type { Context } from '../context.ts';
import type { Parts } from '../parts.ts';

const take = script(
  new URL('rate-limit.lua', import.meta.url),
  z.tuple([z.number(), z.number(), z.number(), z.number()]),
);
const windowSeconds = 60;

/**
 * Counts the request against one of the key's two rates and sets RateLimit-Policy and RateLimit
 * (draft-ietf-httpapi-ratelimit-headers-10). Failure rate_limited when the quota is used up.
 */
export const takeFromRate = async (
  ctx: Context,
  { stores, config }: Parts,
  keyId: string,
  rate: 'create' | 'read',
): Promise<void> => {
  const quota = rate === 'create' ? config.http.createPerMinute : config.http.readPerMinute;
  const [allowed, remaining, fullInMs, retryInMs] = await take(
    stores,
    ...[rate, keyId, quota, windowSeconds * 1000],
  );
  ctx.set('RateLimit-Policy', `"${rate}";q=${quota};w=${windowSeconds}`);
  ctx.set('RateLimit', `"${rate}";r=${remaining};t=${Math.ceil(fullInMs / 1000)}`);
  if (allowed === 0) {
    throw new Failure('rate_limited', { retry_after_seconds: Math.ceil(retryInMs / 1000) });
  }
};
