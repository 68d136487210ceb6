import type { Context } from '../context.ts';
import type { Asset } from './bundle.ts';

/** The smallest form of the file that the browser takes; nothing when it has the file already. */
export const serveAsset = (ctx: Context, { type, etag, bodies }: Asset): Buffer | null => {
  // Browsers name gzip before br, and mean no order by it.
  const name = ['br', 'gzip'].find((one) => bodies[one] && ctx.acceptsEncodings(one)) ?? 'identity';
  ctx.set({ ETag: etag, Vary: 'Accept-Encoding' });
  ctx.type = type;
  if (ctx.fresh) {
    ctx.status = 304;
    return null;
  }
  if (name !== 'identity') ctx.set('Content-Encoding', name);
  return bodies[name] ?? null;
};
