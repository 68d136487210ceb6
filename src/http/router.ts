import Router from '@koa/router';
import { Failure } from '../errors.ts';
import { createIncoming } from './body/incoming.ts';
import type { Context, State } from './context.ts';
import { createGate, type Gate } from './gate/gate.ts';
import type { Parts } from './parts.ts';
import type { NeededScope, Route } from './route.ts';
import { shorten } from './shorten.ts';

/** The routes as Koa middleware. Other paths and methods are answered with not_found or method_not_allowed. */
export const createRouter = (routes: readonly Route[], parts: Parts) => {
  const router = new Router<State>();
  const openIncoming = createIncoming(parts.files, parts.config.files);
  const gate = createGate(parts);
  for (const route of routes)
    router.register(route.path, [route.method], serve(route, parts, openIncoming, gate));
  const unknown = (ctx: Context): never => {
    throw strayFailure(ctx, router);
  };
  return [router.routes(), unknown];
};

const serve =
  (route: Route, parts: Parts, openIncoming: ReturnType<typeof createIncoming>, gate: Gate) =>
  async (ctx: Context): Promise<void> => {
    ctx.state.pattern = route.path;
    if (route.creates && parts.draining.aborted) throw new Failure('draining');
    const { ownedBy, ...incoming } = openIncoming(Number(ctx.get('content-length')));
    const authenticate = async (scope: NeededScope) => {
      const caller = await gate.admit(ctx, route, scope);
      ownedBy(caller.account);
      return caller;
    };
    ctx.status = route.answer.status;
    try {
      ctx.body = await route.serve(
        {
          ctx,
          ...incoming,
          authenticate,
          enter: (account) => gate.enter(ctx, account),
          demandScraper: () => gate.demandScraper(ctx),
        },
        parts,
      );
    } finally {
      await incoming.discard();
    }
  };

const strayFailure = (ctx: Context, router: Router<State>): Failure => {
  const methods = router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods);
  const allowed = [...new Set(methods)];
  return allowed.length === 0
    ? new Failure('not_found', { what: `resource ${shorten(ctx.path)}` })
    : new Failure('method_not_allowed', { method: ctx.method, allowed });
};
