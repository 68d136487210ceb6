import type { z } from 'zod';
import type { Description } from '../contract/openapi/description.ts';
import type { FailureCode } from '../errors.ts';
import type { StoredFile } from '../storage/stored-file.ts';
import type { Incoming } from './body/incoming.ts';
import { readInput } from './body/input.ts';
import type { Context } from './context.ts';
import type { Caller, Parts } from './parts.ts';

/** What a key must be allowed. */
export type NeededScope = NonNullable<Description['scope']>;

/** A request as a route receives it; its files are discarded when the answer is made. */
export type Http = Incoming & {
  readonly ctx: Context;
  /** Demands a key with the scope and counts the request against its rate. */
  readonly authenticate: (scope: NeededScope) => Promise<Caller>;
  /** Counts the request among the open ones of an account that it names without a key. */
  readonly enter: (account: string) => void;
  /** Demands METRICS_TOKEN or ADMIN_KEY. */
  readonly demandScraper: () => void;
};

/** A route is this value: the router, the rate limits and the OpenAPI document all come from it. */
export type Route = Description & {
  readonly fails: readonly FailureCode[];
  readonly serve: (http: Http, parts: Parts) => Promise<unknown>;
};

type Any = z.ZodObject;
type Input<P extends Any, Q extends Any, B extends Any> = Http & {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
  readonly files: Readonly<Record<string, StoredFile>>;
};

type Spec<P extends Any, Q extends Any, B extends Any, A, Also, Given> = Omit<
  Description,
  'answer' | 'also' | 'example'
> & {
  readonly fails: readonly FailureCode[];
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly example?: NoInfer<z.input<B>> | undefined;
  readonly answer: Answer<A>;
  readonly also?: readonly Answer<Also>[];
  readonly handle: (input: Input<P, Q, B> & Given, parts: Parts) => Promise<NoInfer<A | Also>>;
};
type Answer<A> = Description['answer'] & { readonly body?: z.ZodType<unknown, A> };

type Keyed = { readonly caller: Caller };
type Open = { readonly scope?: never };

/** A route for callers with a key of the given scope. */
export function route<
  P extends Any = Any,
  Q extends Any = Any,
  B extends Any = Any,
  A = unknown,
  Also = never,
>(spec: Spec<P, Q, B, A, Also, Keyed> & { readonly scope: NeededScope }): Route;
export function route(
  spec: Spec<Any, Any, Any, unknown, unknown, Keyed> & { readonly scope: NeededScope },
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
  A = unknown,
  Also = never,
>(spec: Spec<P, Q, B, A, Also, unknown> & Open): Route;
export function openRoute(spec: Spec<Any, Any, Any, unknown, unknown, unknown> & Open): Route {
  const { handle, ...described } = spec;
  const serve: Route['serve'] = async (http, parts) =>
    handle({ ...http, ...(await readInput(spec, http, parts)) }, parts);
  return { ...described, serve };
}
