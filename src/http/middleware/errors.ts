import type { Next } from 'koa';
import { asFailure, Failure, type FailureCode } from '../../errors.ts';
import { problemOf } from '../../problem.ts';
import { isUnreachable, refusedWrite } from '../../redis/errors.ts';
import { diskFailure } from '../../storage/disk-failure.ts';
import type { Context } from '../context.ts';
import type { Parts } from '../parts.ts';
import { shorten } from '../shorten.ts';

/** Answers whatever was thrown as problem+json; an unexpected error is logged with its stack. */
export const errors =
  ({ closing, metrics }: Pick<Parts, 'closing' | 'metrics'>) =>
  async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
    } catch (error) {
      const failure = failureOf(error, closing);
      metrics.failures.inc({ code: failure.code });
      if (failure.code === 'internal_error') ctx.state.log.error({ err: error }, 'request failed');
      else if (/^(url|storage|database)_/.test(failure.code))
        ctx.state.log.info({ code: failure.code, why: whyOf(failure) }, 'refused');
      tell(ctx, failure);
    }
  };

const failureOf = (error: unknown, closing: AbortSignal): Failure => {
  // Work that the shutdown interrupted rejects with the reason of the signal.
  if (closing.aborted && error === closing.reason) return new Failure('draining');
  const reason = refusedWrite(error);
  if (reason !== undefined || isUnreachable(error))
    return new Failure('database_unavailable', { reason }, { cause: error });
  return diskFailure(error) ?? asFailure(error);
};

const tell = (ctx: Context, failure: Failure): void => {
  ctx.status = failure.status;
  for (const [name, value] of Object.entries(headersOf(failure))) ctx.set(name, value);
  ctx.body = problemOf(failure, {
    instance: shorten(ctx.path, 300),
    requestId: ctx.state.requestId,
  });
  ctx.type = 'application/problem+json';
};

/**
 * The cause, for the log only, as it may hold internal addresses; cut, as part of it may come from a foreign server.
 */
const whyOf = ({ cause }: Failure): string => String(cause).slice(0, 300);

const retrySeconds = 5;
const passing = [429, 503, 507];
const passingConflicts: readonly FailureCode[] = ['idempotency_in_progress', 'result_not_ready'];

const headersOf = ({ status, code, facts }: Failure): Record<string, string> => {
  if (status === 401) return { 'WWW-Authenticate': String(facts.challenge ?? 'Bearer') };
  if (status === 405 && Array.isArray(facts.allowed)) return { Allow: facts.allowed.join(', ') };
  if (status === 416) return { 'Content-Range': `bytes */${facts.bytes}` };
  if (passing.includes(status) || passingConflicts.includes(code)) {
    return { 'Retry-After': String(facts.retry_after_seconds ?? retrySeconds) };
  }
  return {};
};
