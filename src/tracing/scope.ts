/** What the work under way belongs to. It follows the work over every `await`; log lines and calls to Triton carry it. */
import { AsyncLocalStorage } from 'node:async_hooks';

export type Scope = {
  readonly request_id?: string;
  readonly job_id?: string;
  /** The innermost span, as the header of W3C Trace Context: `00-<trace id>-<span id>-<flags>`. */
  readonly traceparent?: string | undefined;
};

const scopes = new AsyncLocalStorage<Scope>();
const nothing: Scope = {};

export const scope = (): Scope => scopes.getStore() ?? nothing;

/** Runs `work` with these in addition to the present scope. */
export const inScope = <T>(more: Scope, work: () => T): T =>
  scopes.run({ ...scope(), ...more }, work);

/** Runs `work` for the process as a whole: what one piece of work began may tell of others too. */
export const outOfScope = <T>(work: () => T): T => scopes.exit(work);

const valid = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A traceparent that came from outside; undefined where it is not valid. */
export const saneTraceparent = (given: string): string | undefined =>
  valid.test(given) ? given : undefined;

export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35);

/** The header of a call to Triton. Only for work that is recorded: Triton records every call with it, whatever its flag says. */
export const traceHeader = (): { readonly traceparent?: string } => {
  const { traceparent } = scope();
  return traceparent !== undefined && isRecorded(traceparent) ? { traceparent } : {};
};

/** Whether the lowest bit of the flags is set. */
const isRecorded = (traceparent: string): boolean => /[13579bdf]$/.test(traceparent);
