/** Signed links to results (HMAC-SHA-256), which need no key and are valid until the result expires. Pure. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Failure } from '../errors.ts';

export type Links = ReturnType<typeof openLinks>;

export const openLinks = (secret: string, publicUrl: string) => {
  const sign = (jobId: string, expires: string): Buffer =>
    createHmac('sha256', secret).update(`result\n${jobId}\n${expires}`).digest();

  return {
    resultUrl: (jobId: string, expiresAtMs: number): string => {
      const expires = String(Math.ceil(expiresAtMs / 1000));
      const signature = sign(jobId, expires).toString('base64url');
      return `${publicUrl}/v1/jobs/${jobId}/result?expires=${expires}&signature=${signature}`;
    },

    /** Failure not_found when the signature is wrong, result_expired when the link has expired. */
    check: (
      jobId: string,
      {
        expires = '',
        signature = '',
      }: { expires?: string | undefined; signature?: string | undefined },
      nowMs = Date.now(),
    ): void => {
      const [came, made] = [Buffer.from(signature, 'base64url'), sign(jobId, expires)];
      if (came.length !== made.length || !timingSafeEqual(came, made)) {
        throw new Failure('not_found', { what: 'result under this link' });
      }
      if (Number(expires) * 1000 <= nowMs) throw new Failure('result_expired');
    },
  };
};
