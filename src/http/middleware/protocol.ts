import type { Next } from 'koa';
import { Failure } from '../../errors.ts';
import { shorten } from '../body/shorten.ts';
import type { Context } from '../context.ts';

/** Refuses what HTTP/1.1 forbids. Node leaves these checks to us, so that the refusal is a problem with a reason. */
export const protocol = async ({ req }: Context, next: Next): Promise<void> => {
  const { host, expect } = req.headers;
  if (host === undefined && req.httpVersion === '1.1') {
    throw new Failure('invalid_request', { reason: 'it has no Host header' });
  }
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    const reason = `Expect may be "100-continue" only; "${shorten(expect)}" came`;
    throw new Failure('invalid_request', { reason });
  }
  await next();
};
