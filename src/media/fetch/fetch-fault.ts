import { Failure } from '../../errors.ts';
import { shown } from './guard.ts';

/** What is wrong with what came, in words that a caller may read; `explain` adds where it came from. */
export const fetchFault = (reason: string): Failure => new Failure('url_fetch_failed', { reason });

/**
 * The Failure that a caller gets to hear of a fetch that failed; the error itself is its cause, for the log. It names
 * the URL that the caller named and no later one, and says nothing that the system or the other side has written: that
 * tells of addresses, ports and certificates which only we can see.
 */
export const explain = (error: unknown, named: URL, at: URL, exceeded: string | null): Failure => {
  const url = shown(named);
  const moved = at.href !== named.href;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!(cause instanceof Failure)) continue;
    if (cause.code === 'url_fetch_failed') return fetchFailed(url, String(cause.facts.reason));
    if (cause.code !== 'url_not_allowed' || !moved) return cause;
    const why = `${shown(at)}: ${cause.cause ?? cause.facts.reason}`;
    return new Failure('url_not_allowed', { url, reason: REDIRECTED }, { cause: why });
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return fetchFailed(url, exceeded ?? reasonOf(code), error);
};

const REDIRECTED = 'it redirects to what may not be fetched';

const fetchFailed = (url: string, reason: string, cause?: unknown): Failure =>
  new Failure('url_fetch_failed', { url, reason }, { cause });

const reasonOf = (code: string): string => {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its host could not be looked up';
  if (/^E(CONNREFUSED|HOSTUNREACH|NETUNREACH|TIMEDOUT|ACCES)$/.test(code)) {
    return 'the server could not be reached';
  }
  if (/^HPE_/.test(code)) return 'the server does not speak HTTP';
  if (/CERT|SIGNATURE|TLS|SSL|EPROTO/.test(code))
    return 'no secure connection could be made to the server';
  return 'the server ended the connection early';
};
