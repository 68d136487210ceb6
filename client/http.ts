import { EnhanceError, errorOf, NoAnswerError } from './errors.ts';
import { pause } from './pause.ts';

export type HttpOptions = {
  /** Address of the service, such as https://media.example.org. */
  readonly url: string;
  /** Absent: `fetch` adds it. */
  readonly key?: string;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** How often a request is repeated that got no answer, 429 or 5xx and is safe to repeat; 3 unless given. */
  readonly retries?: number;
  /** Called with the reason before the pause that precedes each repetition. */
  readonly onRetry?: (error: unknown) => void;
};

export type HttpRequest = {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  /** Fields of the body. With a Blob or File among them it is sent as multipart/form-data, else as JSON. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A POST that may be repeated although it has no Idempotency-Key. */
  readonly safe?: boolean;
  /** Instead of the client's own `retries`. */
  readonly retries?: number | undefined;
  /** Instead of the client's own `onRetry`. */
  readonly onRetry?: ((error: unknown) => void) | undefined;
};
type Repeating = Pick<HttpRequest, 'retries' | 'onRetry' | 'signal'>;

/** Answers the response when it is good. Throws EnhanceError, NoAnswerError or the reason of `signal`. */
export type Http = (path: string, request?: HttpRequest) => Promise<Response>;

export const isHttpUrl = (text: string): boolean =>
  /^https?:\/\//i.test(text) && URL.canParse(text);

/** Sends requests with the key, and repeats what is safe to repeat: what changes nothing, or has an Idempotency-Key. */
export const openHttp = (options: HttpOptions): Http => {
  const { url, key, fetch = globalThis.fetch } = options;
  if (!isHttpUrl(url))
    throw new TypeError(
      `Expected an http or https URL such as http://127.0.0.1:8080; got "${url}".`,
    );
  return (path, request = {}) => {
    const target = targetOf(url, path, request.query);
    const init = initOf(key, request);
    const send = () => ask(fetch, target, init);
    return isSafe(request) ? repeated(options, request, send) : send();
  };
};

/** Does `work`, again where that may help, as the options say, and for this request in particular. */
export const repeated = async <T>(
  options: Pick<HttpOptions, 'retries' | 'onRetry'>,
  { retries = options.retries ?? 3, onRetry = options.onRetry, signal }: Repeating,
  work: () => Promise<T>,
): Promise<T> => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries >= retries || !mayPass(error)) throw error;
      onRetry?.(error);
      await pause(waitMs(error, tries), signal);
    }
  }
};

const isSafe = ({ method = 'GET', headers = {}, safe = false }: HttpRequest): boolean =>
  safe || method !== 'POST' || 'idempotency-key' in headers;

const targetOf = (url: string, path: string, query: HttpRequest['query'] = {}): URL => {
  const target = new URL(`${url.replace(/\/$/, '')}${path}`);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) target.searchParams.set(name, String(value));
  return target;
};

const initOf = (
  key: string | undefined,
  { method = 'GET', body, headers, signal }: HttpRequest,
) => {
  const sent = bodyOf(body);
  const withKey = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return {
    method,
    signal: signal ?? null,
    body: sent.body,
    headers: { ...withKey, ...sent.headers, ...headers },
  };
};

/** The answer when it is good. Throws EnhanceError, NoAnswerError or the reason of the signal. */
export const ask = async (
  fetch: typeof globalThis.fetch,
  url: URL,
  init: RequestInit,
): Promise<Response> => {
  let answer: Response;
  try {
    answer = await fetch(url, init);
  } catch (error) {
    init.signal?.throwIfAborted();
    throw new NoAnswerError(url.origin, error);
  }
  if (answer.ok) return answer;
  const error = await errorOf(answer, url.origin);
  throw Object.assign(error, { retryAfter: answer.headers.get('retry-after') });
};

/** Whether a repetition may succeed. `concurrency_limited` and `queue_full` are the caller's to wait out. */
const mayPass = (error: unknown): boolean =>
  error instanceof NoAnswerError ||
  (error instanceof EnhanceError && error.retryable && [429, 502, 503].includes(error.status));

/** What Retry-After says, at most a minute; else half a second, doubled each time, at most 10 s. */
export const waitMs = (error: unknown, tries: number): number => {
  const seconds = Number(Reflect.get(Object(error), 'retryAfter') ?? Number.NaN);
  return Number.isFinite(seconds)
    ? Math.min(seconds, 60) * 1000
    : Math.min(500 * 2 ** tries, 10_000);
};

const bodyOf = (
  fields: HttpRequest['body'],
): { readonly body: string | FormData | null; readonly headers: Record<string, string> } => {
  if (!fields) return { body: null, headers: {} };
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (!entries.some(([, value]) => value instanceof Blob))
    return { body: JSON.stringify(fields), headers: { 'content-type': 'application/json' } };
  const form = new FormData();
  for (const [name, value] of entries) {
    if (value instanceof Blob) form.append(name, value, value instanceof File ? value.name : name);
    else form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return { body: form, headers: {} };
};
