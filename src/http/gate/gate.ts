import { Failure } from '../../errors.ts';
import type { Context } from '../context.ts';
import { idempotencyKeyOf } from '../idempotent.ts';
import type { Caller, Parts } from '../parts.ts';
import type { NeededScope, Route } from '../route.ts';
import { authenticate, demandScope, demandScraper } from './authenticate.ts';
import { createBadKeys } from './bad-keys.ts';
import { takeFromRate } from './rate-limit.ts';

export type Gate = ReturnType<typeof createGate>;

/** Admits requests to a route: keys, scopes, rates, and the number of open requests of an account. */
export const createGate = (parts: Parts) => {
  const { config } = parts;
  const badKeys = createBadKeys(config.http.badKeysPerMinute);
  const open = new Map<string, number>();

  /** Counts the request as open until its answer was sent: an open request holds a socket, and may wait for minutes. */
  const enter = (ctx: Context, account: string): void => {
    const count = (open.get(account) ?? 0) + 1;
    if (count > config.http.accountOpenRequests) {
      const detail = `The account has ${count - 1} open requests, the limit, including those that wait for a job and event streams. Try again when one has ended.`;
      throw new Failure('concurrency_limited', { detail });
    }
    // A response that is closed already emits no further 'close', so it would be counted for ever.
    if (ctx.res.closed) return;
    open.set(account, count);
    ctx.state.onGone.push(() => {
      const left = (open.get(account) ?? 1) - 1;
      if (left > 0) open.set(account, left);
      else open.delete(account);
    });
  };

  return {
    enter,
    admit: async (ctx: Context, route: Route, scope: NeededScope): Promise<Caller> => {
      const caller = await authenticate(ctx, parts, badKeys);
      ctx.state.log = ctx.state.log.child({ account: caller.account, key: caller.keyId });
      await takeFromRate(ctx, parts, caller.keyId, route.rate ?? 'read');
      enter(ctx, caller.account);
      demandScope(caller, scope);
      // Before the body is read: a refused request does not need it.
      if (route.idempotent) idempotencyKeyOf(ctx);
      return caller;
    },
    demandScraper: (ctx: Context): void => demandScraper(ctx, config, badKeys),
  };
};
