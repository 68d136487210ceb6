import { randomUUID } from 'node:crypto';
import type { Next } from 'koa';
import { inScope, saneTraceparent, scope } from '../../tracing/scope.ts';
import { inside } from '../../tracing/tracing.ts';
import type { Context } from '../context.ts';
import type { Parts } from '../parts.ts';
import { shorten } from '../shorten.ts';
import type { Watchdog } from '../watchdog.ts';

const apiVersion = '1';

type Used = Pick<Parts, 'log' | 'metrics' | 'tracing'>;

/** Gives the request its id and its span, sets the headers that every answer has, and logs and measures the answer. */
export const request = (parts: Used, watchdog: Watchdog) => async (ctx: Context, next: Next) => {
  const requestId = saneId(ctx.get('x-request-id')) ?? randomUUID();
  ctx.state.requestId = requestId;
  ctx.state.log = parts.log;
  ctx.state.pattern = '';
  ctx.state.onGone = [];
  ctx.set({
    'X-Request-Id': requestId,
    'Api-Version': apiVersion,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'private, no-store',
  });
  const from = { request_id: requestId, traceparent: saneTraceparent(ctx.get('traceparent')) };
  await inScope(from, () => watch(ctx, next, parts, watchdog));
};

const watch = async (
  ctx: Context,
  next: Next,
  { metrics, tracing }: Used,
  watchdog: Watchdog,
): Promise<void> => {
  const started = performance.now();
  const { method, state } = ctx;
  // Read here, as an error that is thrown in the listener below would end the process.
  const path = shorten(ctx.path, 300);
  const running = { method, state };
  watchdog.begun(running);
  const span = tracing.start(method, 'server', { 'http.request.method': method });
  const closed = () => {
    for (const call of state.onGone) call();
    watchdog.ended(running);
    const ms = performance.now() - started;
    // The caller hung up before the answer was complete: 499, nginx's code for that.
    const status = ctx.res.writableFinished ? ctx.status : 499;
    const route = state.pattern || 'unknown';
    metrics.requests.observe({ method, route, status }, ms / 1000);
    span.set({ 'http.route': route, 'http.response.status_code': status });
    span.end(status >= 500 ? String(status) : undefined);
    // Health checks and scrapers ask every few seconds: they are logged at debug level.
    const level = path.startsWith('/v1/') || status >= 500 ? 'info' : 'debug';
    state.log[level]({ method, path, status, ms: Math.round(ms) }, 'answered');
  };
  await inside(span, async () => {
    const own = scope();
    ctx.res.once('close', () => inScope(own, closed));
    await next();
  });
};

const saneId = (given: string): string | undefined =>
  /^[A-Za-z0-9._:/+=-]{1,128}$/.test(given) ? given : undefined;
