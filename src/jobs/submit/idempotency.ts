import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { Failure } from '../../errors.ts';
import { type Redises, script } from '../../redis/script.ts';

/** A key that belongs to one running request. */
export type Claim = { readonly key: string; readonly hash: string; readonly token: string };
export type Begun =
  | { readonly state: 'new'; readonly claim: Claim }
  | { readonly state: 'job'; readonly jobId: string; readonly joined: boolean }
  | { readonly state: 'answer'; readonly answer: unknown };
export type Idempotency = ReturnType<typeof openIdempotency>;

export const KEPT_MS = 86_400_000;
/** How long a key stays locked after the request that claimed it died; a living one renews its claim meanwhile. */
const CLAIM_MS = 15_000;

const claimKey = script(
  new URL('../scripts/claim.lua', import.meta.url),
  z.union([
    z.tuple([z.enum(['new', 'reused'])]),
    z.tuple([z.literal('running'), z.number()]),
    z.tuple([z.literal('job'), z.string(), z.string()]),
    z.tuple([z.literal('answer'), z.string()]),
  ]),
);
const renewClaim = script(new URL('../scripts/renew.lua', import.meta.url), z.number());
const endClaim = script(new URL('../scripts/unclaim.lua', import.meta.url), z.number());

/** Idempotency keys of accounts. A job is bound to its key by the script that makes it; see `submit.ts`. */
export const openIdempotency = (stores: Redises, claimMs = CLAIM_MS) => ({
  /** The job of the request under this key; null without one. Failure idempotency_in_progress while it is being made. */
  jobId: async (account: string, key: string): Promise<string | null> => {
    const name = nameOf(stores, account, key);
    const [hash, job, answer] = await stores.redis.hmget(name, 'hash', 'job', 'answer');
    if (hash && !job && !answer) throw inProgress(await stores.redis.pttl(name));
    return job ?? null;
  },

  /**
   * What a request under this key has to do. `requestHash` covers all that the caller sent.
   * Failure idempotency_key_reused, or idempotency_in_progress while the first has no job yet.
   */
  begin: async (account: string, key: string, requestHash: string): Promise<Begun> => {
    const claim = { key: nameOf(stores, account, key), hash: requestHash, token: randomUUID() };
    const said = await claimKey(stores, claim.key, claim.hash, claim.token, claimMs);
    switch (said[0]) {
      case 'new':
        return { state: 'new', claim };
      case 'job':
        return { state: 'job', jobId: said[1], joined: said[2] === '1' };
      case 'answer':
        return { state: 'answer', answer: JSON.parse(said[1]) };
      case 'reused':
        throw new Failure('idempotency_key_reused');
      case 'running':
        throw inProgress(said[1]);
    }
  },

  /** Keeps the claim while the request works; the returned function ends that. */
  renewing: ({ key, hash, token }: Claim): (() => void) => {
    // One that fails is made good by the next: the claim is kept, or taken again, when Redis is back.
    const renew = () => renewClaim(stores, key, hash, token, claimMs).catch(() => 0);
    const timer = setInterval(renew, claimMs / 3);
    return () => clearInterval(timer);
  },

  /** The request was refused before anything was made: the key is as new. */
  free: async ({ key, token }: Claim): Promise<void> => {
    await endClaim(stores, key, token, '', KEPT_MS);
  },

  /** Keeps the answer of a request that makes no job. */
  answer: async ({ key, token }: Claim, value: unknown): Promise<void> => {
    await endClaim(stores, key, token, JSON.stringify(value), KEPT_MS);
  },
});

const nameOf = ({ prefix }: Redises, account: string, key: string): string =>
  `${prefix}:idempotency:${account}:${createHash('sha256').update(key).digest('hex')}`;

/** `ms`: until the claim expires unless it is renewed. */
const inProgress = (ms: number): Failure =>
  new Failure('idempotency_in_progress', {
    retry_after_seconds: Math.max(1, Math.ceil(ms / 1000)),
  });
