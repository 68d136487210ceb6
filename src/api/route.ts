import type { ParameterizedContext } from 'koa';
import type { z } from 'zod';
import type { Scope } from '../contract/keys.ts';
import type { Description } from '../contract/openapi.ts';
import type { FailureCode } from '../errors.ts';
import type { Log } from '../log.ts';
import { type IncomingFile, readInput } from './input.ts';
import type { Caller, Parts } from './parts.ts';

/** What the service knows of a request besides Koa's own. */
export type State = {
  requestId: string;
  log: Log;
  /** The path of the route that answers, with its parameters' names; for logs and metrics. */
  pattern: string;
};
export type Context = ParameterizedContext<State>;

/** A request as a route receives it. */
export type Http = {
  readonly ctx: Context;
  /** Demands a key with the scope and counts the request against its rate. */
  readonly authenticate: (scope: Scope) => Promise<Caller>;
  /** A folder of this request alone, removed with all that is in it when the answer is made. */
  readonly folder: () => Promise<string>;
};

/** A route is this value: the router, the rate limits and the OpenAPI document all come from it. */
export type Route = Description & {
  readonly fails: readonly FailureCode[];
  readonly serve: (http: Http, parts: Parts) => Promise<unknown>;
};

type Input<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject> = Http & {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
  readonly files: Readonly<Record<string, IncomingFile>>;
};

type Spec<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  A extends z.ZodType,
  Also extends z.ZodType,
  Given,
> = Description & {
  readonly fails: readonly FailureCode[];
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly answer: { readonly body?: A };
  readonly also?: readonly { readonly body?: Also }[];
  readonly handle: (
    input: Input<P, Q, B> & Given,
    parts: Parts,
  ) => Promise<z.input<A> | z.input<Also>>;
};

type Keyed = { readonly caller: Caller };
type Open = { readonly scope?: never };
type Any = z.ZodObject;

/** A route for callers with a key of the given scope. */
export function route<
  P extends Any = Any,
  Q extends Any = Any,
  B extends Any = Any,
  A extends z.ZodType = z.ZodType,
  Also extends z.ZodType = never,
>(spec: Spec<P, Q, B, A, Also, Keyed> & { readonly scope: Scope }): Route;
export function route(
  spec: Spec<Any, Any, Any, z.ZodType, z.ZodType, Keyed> & { readonly scope: Scope },
): Route {
  const { handle, ...described } = spec;
  const serve: Route['serve'] = async (http, parts) => {
    const caller = await http.authenticate(spec.scope);
    return handle({ ...http, ...(await readInput(spec, http, parts)), caller }, parts);
  };
  return { ...described, serve };
}

/** A route that anyone may ask. */
export function openRoute<
  P extends Any = Any,
  Q extends Any = Any,
  B extends Any = Any,
  A extends z.ZodType = z.ZodType,
  Also extends z.ZodType = never,
>(spec: Spec<P, Q, B, A, Also, unknown> & Open): Route;
export function openRoute(
  spec: Spec<Any, Any, Any, z.ZodType, z.ZodType, unknown> & Open,
): Route {
  const { handle, ...described } = spec;
  const serve: Route['serve'] = async (http, parts) =>
    handle({ ...http, ...(await readInput(spec, http, parts)) }, parts);
  return { ...described, serve };
}
