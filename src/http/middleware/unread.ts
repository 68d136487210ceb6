import type { Next } from 'koa';
import type { Context } from '../context.ts';

const lingerMs = 2000;

/**
 * A request may be refused while its body still arrives. To close the connection at once could lose the answer
 * (RFC 9112 §9.6), and to read on would let a caller send without end: so the rest of the body is read and
 * discarded for 2 s (`lingerMs`), and then the connection is closed.
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
