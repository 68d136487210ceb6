/** Opens the API to web pages of other origins (CORS), as CORS_ORIGINS says. */
import cors from '@koa/cors';
import type { Context } from '../context.ts';

const exposed = [
  ...['X-Request-Id', 'Api-Version', 'Location', 'Preference-Applied', 'Idempotent-Replayed'],
  ...['RateLimit', 'RateLimit-Policy', 'Retry-After', 'WWW-Authenticate', 'Allow'],
  ...['ETag', 'Accept-Ranges', 'Content-Range', 'Content-Disposition', 'Content-Length'],
];
const taken = [
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'Prefer', 'Last-Event-ID'],
  ...['Range', 'If-Range', 'If-None-Match', 'X-Request-Id', 'traceparent', 'tracestate'],
];
/** Seconds for which a browser need not ask again; Chromium takes no more. */
const maxAge = 7_200;

/** Other origins get no header, so their browser refuses the answer. Credentials are not allowed: /v1 reads no cookie. */
export const crossOrigin = (origins: readonly string[]) =>
  cors({
    origin: (ctx: Pick<Context, 'get' | 'path'>) => {
      if (!ctx.path.startsWith('/v1/') && ctx.path !== '/openapi.json') return '';
      const origin = ctx.get('origin');
      return origins.find((one) => one === origin || one === '*') ?? '';
    },
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: taken,
    exposeHeaders: exposed,
    maxAge,
  });
