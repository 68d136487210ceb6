/** Spans of requests, jobs and calls to Triton. */
import { inScope, scope } from './scope.ts';

type Attributes = Readonly<Record<string, string | number | boolean>>;
type SpanKind = 'server' | 'client' | 'consumer' | 'internal';

/** A piece of work with a begin and an end. */
export type Span = {
  /** What its inner work continues from; undefined without tracing, unless the caller sent one. */
  readonly traceparent: string | undefined;
  set(attributes: Attributes): void;
  /** `fault` is a code of the catalogue, never a message, which may hold what a caller sent. */
  end(fault?: string): void;
};

export type Tracing = {
  /** A span below that of the present scope. Whoever starts it ends it. */
  start(name: string, kind: SpanKind, attributes?: Attributes): Span;
  /** Sends what was not sent yet. */
  close(): Promise<void>;
};

export const noTracing: Tracing = {
  start: () => ({ traceparent: scope().traceparent, set: () => {}, end: () => {} }),
  close: async () => {},
};

/** Runs `work` as the inner work of a span. */
export const inside = <T>({ traceparent }: Span, work: () => T): T =>
  inScope({ traceparent }, work);
