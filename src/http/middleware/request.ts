import { randomUUID } from 'node:crypto';
import type { Next } from 'koa';
import type { Log } from '../../log.ts';
import { shorten } from '../body/shorten.ts';
import type { Context } from '../context.ts';
import type { Metrics } from '../metrics.ts';
import type { Watchdog } from '../watchdog.ts';

const apiVersion = '1';

/** Gives the request its id, sets the headers that every answer has, and logs and measures the answer. */
export const request =
  (log: Log, metrics: Metrics, watchdog: Watchdog) =>
  async (ctx: Context, next: Next): Promise<void> => {
    const started = performance.now();
    const requestId = saneId(ctx.get('x-request-id')) ?? randomUUID();
    ctx.state.requestId = requestId;
    ctx.state.log = log.child({ request_id: requestId });
    ctx.state.pattern = '';
    ctx.state.onGone = [];
    const { method, state } = ctx;
    // Read here, as an error that is thrown in the listener below would end the process.
    const path = shorten(ctx.path, 300);
    const running = { method, state };
    watchdog.begun(running);
    ctx.set({
      'X-Request-Id': requestId,
      'Api-Version': apiVersion,
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'private, no-store',
    });
    ctx.res.once('close', () => {
      for (const call of ctx.state.onGone) call();
      watchdog.ended(running);
      const ms = performance.now() - started;
      const { status } = ctx;
      // The caller hung up before the answer was complete: 499, nginx's code for that.
      const ended = ctx.res.writableFinished ? status : 499;
      metrics.requests.observe(
        { method, route: ctx.state.pattern || 'unknown', status: ended },
        ms / 1000,
      );
      // Health checks and scrapers ask every few seconds: they are logged at debug level.
      const level = path.startsWith('/v1/') || ended >= 500 ? 'info' : 'debug';
      ctx.state.log[level]({ method, path, status: ended, ms: Math.round(ms) }, 'answered');
    });
    await next();
  };

const saneId = (given: string): string | undefined =>
  /^[A-Za-z0-9._:/+=-]{1,128}$/.test(given) ? given : undefined;
