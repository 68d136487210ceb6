/** Signed links to a job's result and events (HMAC-SHA-256), which need no key, as `<img>` and `EventSource` send none. Pure. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Failure } from '../errors.ts';

export type Links = ReturnType<typeof openLinks>;
/** What a link leads to: the last part of its path below the job. */
export type LinkTarget = 'result' | 'events';
/** Null: what it leads to has no end yet. */
export type SignedLink = (target: LinkTarget, jobId: string, expiresAtMs: number | null) => string;
type Proof = { readonly expires?: string | undefined; readonly signature?: string | undefined };

const titles: Readonly<Record<LinkTarget, string>> = { result: 'result', events: 'event stream' };

const HOUR_MS = 3_600_000;

/** `ttlMs`: how long a result is kept. */
export const openLinks = (secret: string, publicUrl: string, ttlMs: number) => {
  const sign = (target: LinkTarget, jobId: string, expires: string): Buffer =>
    createHmac('sha256', secret).update(`${target}\n${jobId}\n${expires}`).digest();

  /** Until a result can expire that is made now; the same for an hour, so that a page that asks again gets the same link. */
  const furthest = (): number => Math.ceil((Date.now() + ttlMs) / HOUR_MS) * HOUR_MS;

  const url: SignedLink = (target, jobId, expiresAtMs) => {
    const expires = String(Math.ceil((expiresAtMs ?? furthest()) / 1000));
    const signature = sign(target, jobId, expires).toString('base64url');
    return `${publicUrl}/v1/jobs/${jobId}/${target}?expires=${expires}&signature=${signature}`;
  };

  return {
    url,
    /** Failure not_found when the signature is wrong; result_expired or link_expired when the link has expired. */
    check: (
      target: LinkTarget,
      jobId: string,
      { expires = '', signature = '' }: Proof,
      nowMs = Date.now(),
    ): void => {
      const [came, made] = [Buffer.from(signature, 'base64url'), sign(target, jobId, expires)];
      if (came.length !== made.length || !timingSafeEqual(came, made)) {
        throw new Failure('not_found', { what: `${titles[target]} under this link` });
      }
      if (Number(expires) * 1000 > nowMs) return;
      throw new Failure(target === 'result' ? 'result_expired' : 'link_expired');
    },
  };
};
