/** Credits that are added to an account: what the scripts get, and how they refuse. */
import { randomUUID } from 'node:crypto';
import { Failure } from '../errors.ts';

export type Grant = {
  readonly credits: number;
  readonly note?: string | undefined;
  /** Credits are added once for each token; a random one unless given. */
  readonly token?: string | undefined;
};

/** How long the token of a grant is remembered: 24 hours, as long as an idempotency key. */
const TOKEN_TTL_MS = 86_400_000;
/** The scripts' answer when the balance would exceed the exact integers, 2^53 - 1. */
const TOO_MANY = -1;

/** Has a script add the credits, which gets them as its arguments. Failure validation_failed. */
export const granted = async (
  { credits, note = '', token = randomUUID() }: Grant,
  run: (...args: readonly (string | number)[]) => Promise<number>,
): Promise<void> => {
  const answer = Number.isSafeInteger(credits)
    ? await run(credits, note, token, TOKEN_TTL_MS)
    : TOO_MANY;
  if (answer !== TOO_MANY) return;
  const detail = `Expected a balance of at most ${Number.MAX_SAFE_INTEGER} credits; ${credits} more would exceed it.`;
  const faults = [{ pointer: '/credits', code: 'out_of_range', detail }];
  throw new Failure('validation_failed', {}, { faults });
};
