/** Credits that are added to an account, or withdrawn from it: what the scripts get, and how they refuse. See decision 180. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { Failure } from '../errors.ts';
import { counted } from '../text/counted.ts';

export type Grant = {
  /** Negative ones are withdrawn. */
  readonly credits: number;
  readonly note?: string | undefined;
  /** Credits are added or withdrawn once for each token; a random one unless given. */
  readonly token?: string | undefined;
};

/** How long the token of a grant is remembered: 24 hours, as long as an idempotency key. */
const TOKEN_TTL_MS = 86_400_000;
/** What the scripts answer. */
export const Granted = z.enum(['done', 'too_many', 'too_few']);

/** Has a script add or withdraw the credits, which gets them as its arguments. Failure validation_failed. */
export const granted = async (
  { credits, note = '', token = randomUUID() }: Grant,
  run: (...args: readonly (string | number)[]) => Promise<z.infer<typeof Granted>>,
): Promise<void> => {
  const answer = Number.isSafeInteger(credits)
    ? await run(credits, note, token, TOKEN_TTL_MS)
    : 'too_many';
  if (answer === 'done') return;
  const detail =
    answer === 'too_few'
      ? `Expected at most the available credits of the account to be withdrawn; it has fewer than ${counted(-credits, 'credit')} available.`
      : `Expected a balance of at most ${Number.MAX_SAFE_INTEGER} credits; ${credits} more would exceed it.`;
  const faults = [{ pointer: '/credits', code: 'out_of_range', detail }];
  throw new Failure('validation_failed', {}, { faults });
};
