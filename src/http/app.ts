import { setMaxListeners } from 'node:events';
import Koa from 'koa';
import type { State } from './context.ts';
import { crossOrigin } from './middleware/cross-origin.ts';
import { errors } from './middleware/errors.ts';
import { protocol } from './middleware/protocol.ts';
import { request } from './middleware/request.ts';
import { unread } from './middleware/unread.ts';
import { refusalPages } from './pages/refusal-page.ts';
import type { Parts } from './parts.ts';
import { createRouter } from './router.ts';
import { createRoutes } from './routes/all.ts';
import { startWatchdog } from './watchdog.ts';

/** The HTTP API over its parts. */
export const createApp = (parts: Parts): Koa<State> => {
  // Every waiting request listens to these signals.
  setMaxListeners(0, parts.draining, parts.closing);
  const { trustedProxies } = parts.config.http;
  // With `proxy`, ctx.ip is the address that the first trusted proxy saw; entries before it could be forged by the caller.
  const app = new Koa<State>({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  app.use(request(parts, startWatchdog(parts.log, parts.draining)));
  app.use(crossOrigin(parts.config.http.corsOrigins));
  app.use(unread);
  app.use(refusalPages(parts));
  app.use(errors(parts));
  app.use(protocol);
  for (const middleware of createRouter(
    createRoutes(parts.operations, parts.metrics, parts.config.http.publicUrl),
    parts,
  )) {
    app.use(middleware);
  }
  // These errors happen after the answer has begun: the caller disconnected, or a result file could not be read.
  app.on('error', (error: NodeJS.ErrnoException) => {
    const { code } = error;
    if (code && disconnected.includes(code)) parts.log.info({ code }, 'the caller disconnected');
    else parts.log.warn({ err: error }, 'the answer could not be sent completely');
  });
  return app;
};

const disconnected = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'];
