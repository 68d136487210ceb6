/** What a route says about itself: the document, the router and the checks of requests follow from it. */
import type { z } from 'zod';
import type { Scope } from '../keys.ts';
import type { AnswerHeader, RequestHeader } from './header-list.ts';
import type { Tag } from './tags.ts';

export type Answer = {
  readonly status: number;
  readonly description?: string;
  readonly body?: z.ZodType;
  /** The content type of an answer that is not JSON, or not only. */
  readonly type?: string | readonly string[];
  /** What each event of an event stream is. */
  readonly event?: z.ZodType;
  readonly example?: unknown;
  /** Besides those that follow from the rest. */
  readonly headers?: readonly AnswerHeader[];
};

export type Description = {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** With `:name` for a parameter. */
  readonly path: string;
  /** What the function of a generated client is called. Pages for browsers, which the document leaves out, have none. */
  readonly operationId?: string;
  readonly tag?: Tag;
  readonly summary: string;
  /** More than the summary, as Markdown. */
  readonly description?: string;
  /** What the key must be allowed; `any`: whatever it is allowed; absent for a route that needs no key. */
  readonly scope?: Scope | 'any';
  /** Takes a signed link in place of a key. */
  readonly byLink?: boolean;
  /** Which of a key's two rates a request counts against. */
  readonly rate?: 'create' | 'read';
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** A body that gets the answer's example. */
  readonly example?: Json | undefined;
  /**
   * Groups of names of which exactly one must come: as a file part of a multipart body,
   * or as `<name>_url` where the body has that field.
   */
  readonly sources?: readonly (readonly string[])[];
  /** Headers that it takes, besides those that follow from the rest. */
  readonly headers?: readonly RequestHeader[];
  /** Makes something that outlives the request: refused while the server shuts down. */
  readonly creates?: boolean;
  /** Takes `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** Takes `Prefer`. */
  readonly waits?: boolean;
  readonly answer: Answer;
  /** Further answers that are no failures. */
  readonly also?: readonly Answer[];
  /** Codes of the failures that are this route's own; those that follow from the rest are added. */
  readonly fails: readonly string[];
};

/** A value of JSON Schema or of OpenAPI. */
export type Json = Readonly<Record<string, unknown>>;
