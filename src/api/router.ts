import Router from '@koa/router';
import type { Scope } from '../contract/keys.ts';
import { Failure } from '../errors.ts';
import { authenticate, demandScope } from './authenticate.ts';
import { idempotencyKeyOf } from './idempotent.ts';
import { createIncoming } from './incoming.ts';
import type { Parts } from './parts.ts';
import { takeFromRate } from './rate-limit.ts';
import type { Context, Route, State } from './route.ts';
import { shorten } from './shorten.ts';

/** The routes as Koa middleware; other paths and methods are failures like any other. */
export const createRouter = (routes: readonly Route[], parts: Parts) => {
  const router = new Router<State>();
  for (const route of routes) router.register(route.path, [route.method], serve(route, parts));
  const unknown = (ctx: Context): never => {
    throw strayFailure(ctx, router);
  };
  return [router.routes(), unknown];
};

const serve =
  (route: Route, parts: Parts) =>
  async (ctx: Context): Promise<void> => {
    ctx.state.pattern = route.path;
    if (route.creates && parts.draining.aborted) throw new Failure('draining');
    const incoming = createIncoming(parts.files);
    ctx.status = route.answer.status;
    try {
      const { folder } = incoming;
      ctx.body = await route.serve({ ctx, folder, authenticate: admit(ctx, route, parts) }, parts);
    } finally {
      await incoming.remove();
    }
  };

const admit = (ctx: Context, route: Route, parts: Parts) => async (scope: Scope) => {
  const caller = await authenticate(ctx, parts);
  ctx.state.log = ctx.state.log.child({ account: caller.account, key: caller.keyId });
  await takeFromRate(ctx, parts, caller.keyId, route.rate ?? 'read');
  demandScope(caller, scope);
  // Before a body is read that would be refused.
  if (route.idempotent) idempotencyKeyOf(ctx);
  return caller;
};

const strayFailure = (ctx: Context, router: Router<State>): Failure => {
  const methods = router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods);
  const allowed = [...new Set(methods)].join(', ');
  return allowed === ''
    ? new Failure('not_found', { what: `resource ${shorten(ctx.path)}` })
    : new Failure('method_not_allowed', { method: ctx.method, allowed });
};
