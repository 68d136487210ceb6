import type { Next } from 'koa';
import type { Context } from '../context.ts';

const lingerMs = 2000;

/**
 * A refusal may be made while the body still comes. Closing at once could destroy the answer
 * on its way (RFC 9112 §9.6), reading on would let a caller send for ever:
 * so what comes is thrown away for a moment, and then the connection is closed.
 */
export const unread = async (ctx: Context, next: Next): Promise<void> => {
  const { req, res } = ctx;
  res.once('finish', () => {
    req.resume();
    if (req.complete) return;
    const timer = setTimeout(() => req.destroy(), lingerMs);
    req.once('close', () => clearTimeout(timer));
  });
  await next();
};
