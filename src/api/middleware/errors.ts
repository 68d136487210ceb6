import type { Next } from 'koa';
import { asFailure, Failure } from '../../errors.ts';
import { problemOf } from '../../problem.ts';
import type { Context } from '../route.ts';

/** Turns whatever was thrown into problem+json; what nobody foresaw goes to the log whole. */
export const errors =
  (draining: AbortSignal) =>
  async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
    } catch (error) {
      // What the shutdown interrupted rejects with the signal's reason.
      const stopped = draining.aborted && error === draining.reason;
      const failure = stopped ? new Failure('draining') : asFailure(error);
      if (failure.code === 'internal_error') ctx.state.log.error({ err: error }, 'request failed');
      tell(ctx, failure);
    }
  };

const tell = (ctx: Context, failure: Failure): void => {
  ctx.status = failure.status;
  for (const [name, value] of Object.entries(headersOf(failure))) ctx.set(name, value);
  ctx.body = problemOf(failure, { instance: ctx.path, requestId: ctx.state.requestId });
  ctx.type = 'application/problem+json';
};

const retrySeconds = 5;

const headersOf = ({ status, facts }: Failure): Record<string, string> => {
  if (status === 401) return { 'WWW-Authenticate': 'Bearer' };
  if (status === 405) return { Allow: String(facts.allowed) };
  if (status === 429 || status === 503) {
    return { 'Retry-After': String(facts.retry_after_seconds ?? retrySeconds) };
  }
  return {};
};
