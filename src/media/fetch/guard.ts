import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../errors.ts';
import { isPublicAddress } from './address.ts';

/**
 * Throws url_not_allowed for a URL that callers may not reach through this service. A host name passes here: its
 * addresses are checked by `guardedLookup` in the same call that connects, so that a second DNS answer cannot differ.
 */
export const checkUrl = (url: URL, allowHosts: readonly string[]): void => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refuse(url, `expected http or https; got ${url.protocol.slice(0, -1)}`);
  }
  if (url.username || url.password) throw refuse(url, 'it contains a user name or a password');
  const host = bare(url);
  if (isIP(host) && !isPublicAddress(host) && !isAllowed(url, allowHosts)) {
    throw refuse(url, HIDDEN, `${host} is not a public address`);
  }
};

/** The least time that the refusal of a host name takes, so that its duration does not show whether the name exists. */
const ANSWER_MS = 500;

/**
 * A DNS lookup for one connection to `url`. It fails with url_not_allowed when any of the addresses is not public, and
 * with the same text when there are none: a caller must not learn which internal names exist or where they lead. The
 * cause states it, for the log.
 */
export const guardedLookup =
  (url: URL, allowHosts: readonly string[]): LookupFunction =>
  (hostname, options, done) => {
    const answered = sleep(ANSWER_MS);
    const refuseLate = async (cause: string): Promise<void> => {
      await answered;
      done(refuse(url, HIDDEN, cause), '', 0);
    };
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error?.code === 'ENOTFOUND') return void refuseLate(`${hostname} is unknown`);
      if (error) return done(error, '', 0);
      const hidden = found.find(({ address }) => !isPublicAddress(address));
      if (hidden && !isAllowed(url, allowHosts)) {
        return void refuseLate(`${hostname} resolves to ${hidden.address}`);
      }
      const [first] = found;
      if (options.all || !first) return done(null, found);
      done(null, first.address, first.family);
    });
  };

/**
 * Throws url_not_allowed for a URL that is to be called later, when its host has an address that is not public, or is
 * unknown. A host whose name cannot be looked up now passes: each call checks it again.
 */
export const checkHost = async (url: URL, allowHosts: readonly string[]): Promise<void> => {
  checkUrl(url, allowHosts);
  await new Promise<void>((resolve, reject) => {
    guardedLookup(url, allowHosts)(bare(url), { all: true }, (error) => {
      if (error instanceof Failure) reject(error);
      else resolve();
    });
  });
};

/** A URL as an answer may show it: without user name, password, query and fragment, which may hold a secret. */
export const shown = ({ protocol, host, pathname }: URL): string =>
  `${protocol}//${host}${pathname}`;

const HIDDEN =
  'its host is unknown or has no public address, and FETCH_ALLOW_HOSTS does not name it';

const refuse = (url: URL, reason: string, cause?: string): Failure =>
  new Failure('url_not_allowed', { url: shown(url), reason }, { cause });

/** Whether the list has its host name, or host name and port. */
const isAllowed = (url: URL, allowHosts: readonly string[]): boolean => {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return allowHosts.includes(url.hostname) || allowHosts.includes(`${url.hostname}:${port}`);
};

const bare = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');
