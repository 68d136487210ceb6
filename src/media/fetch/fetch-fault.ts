import { Failure } from '../../errors.ts';
import { shown } from './guard.ts';

/** What is wrong with an answer, in words that a caller may read; `explain` adds the URL. */
export const fetchFault = (reason: string, retryable = true): Failure =>
  new Failure('url_fetch_failed', { reason, retryable });

type Fetch = {
  /** The URL of the request, and the one that the last redirect led to. */
  readonly requested: URL;
  readonly current: URL;
  /** The time limit that was exceeded, in words. */
  readonly exceeded: string | null;
};

/**
 * The Failure that a caller gets for a fetch that failed; the error itself is its cause, for the log. It names the URL of
 * the request and no later one, and repeats no text of the system or of the other side: that could reveal addresses,
 * ports and certificates which only this machine can see.
 */
export const explain = (error: unknown, { requested, current, exceeded }: Fetch): Failure => {
  const url = shown(requested);
  const moved = current.href !== requested.href;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!(cause instanceof Failure)) continue;
    if (cause.code === 'url_fetch_failed') return new Failure(cause.code, { ...cause.facts, url });
    if (cause.code !== 'url_not_allowed' || !moved) return cause;
    const why = `${shown(current)}: ${cause.cause ?? cause.facts.reason}`;
    return new Failure('url_not_allowed', { url, reason: REDIRECTED }, { cause: why });
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return fetchFailed(url, exceeded ?? reasonOf(code), error);
};

const REDIRECTED = 'it redirects to a URL that may not be fetched';

const fetchFailed = (url: string, reason: string, cause?: unknown): Failure =>
  new Failure('url_fetch_failed', { url, reason }, { cause });

const reasonOf = (code: string): string => {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return 'the name of its host could not be resolved';
  if (/^E(CONNREFUSED|HOSTUNREACH|NETUNREACH|TIMEDOUT|ACCES)$/.test(code)) {
    return 'the server could not be reached';
  }
  if (/^HPE_/.test(code)) return 'the server does not speak HTTP';
  if (/CERT|SIGNATURE|TLS|SSL|EPROTO/.test(code))
    return 'no secure (TLS) connection to the server was possible';
  return 'the server ended the connection early';
};
