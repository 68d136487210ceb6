import { setMaxListeners } from 'node:events';
import Koa from 'koa';
import { createMetrics } from './metrics.ts';
import { errors } from './middleware/errors.ts';
import { protocol } from './middleware/protocol.ts';
import { request } from './middleware/request.ts';
import { unread } from './middleware/unread.ts';
import type { Parts } from './parts.ts';
import type { State } from './route.ts';
import { createRouter } from './router.ts';
import { createRoutes } from './routes/all.ts';
import { startWatchdog } from './watchdog.ts';

/** The HTTP API over its parts. */
export const createApp = (parts: Parts): Koa<State> => {
  // Every waiting caller listens for it.
  setMaxListeners(0, parts.draining);
  const { trustedProxies } = parts.config.http;
  // With proxy, ctx.ip is what the outermost trusted one saw; what stands before it in the header, anyone may write.
  const app = new Koa<State>({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  const metrics = createMetrics(parts);
  app.use(request(parts.log, metrics, startWatchdog(parts.log, parts.draining)));
  app.use(unread);
  app.use(errors(parts.draining));
  app.use(protocol);
  for (const middleware of createRouter(
    createRoutes(metrics, parts.config.http.publicUrl),
    parts,
  )) {
    app.use(middleware);
  }
  // What fails here fails after the answer has begun: the caller hung up, or a result cannot be read to its end.
  app.on('error', (error: NodeJS.ErrnoException) => {
    const { code } = error;
    if (code && hungUp.includes(code)) parts.log.info({ code }, 'the caller hung up');
    else parts.log.warn({ err: error }, 'answer broke off');
  });
  return app;
};

const hungUp = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'];
