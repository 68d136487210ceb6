import type { Context } from '../context.ts';
import type { Asset } from './bundle.ts';

/** The smallest form of the file that the browser takes; nothing when it has the file already. */
export const serveAsset = (ctx: Context, { type, etag, bodies }: Asset): Buffer | null => {
  const encoding = ctx.acceptsEncodings(['br', 'gzip', 'identity']) || 'identity';
  const [name, body] = bodies[encoding]
    ? [encoding, bodies[encoding]]
    : ['identity', bodies.identity];
  ctx.set({ ETag: etag, Vary: 'Accept-Encoding' });
  ctx.type = type;
  if (ctx.fresh) {
    ctx.status = 304;
    return null;
  }
  if (name !== 'identity') ctx.set('Content-Encoding', name);
  return body ?? null;
};
