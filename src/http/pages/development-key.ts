/** Whether the page gets the key of `npm start` without being asked for one. Pure. */
import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../../bearer.ts';

type Asked = {
  /** The peer address of the connection itself, whatever headers say. */
  readonly remoteAddress: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly trustedProxies: number;
};

/** Only a page of this service, opened on this machine, may have it. */
export const mayHaveKey = ({ remoteAddress, headers, trustedProxies }: Asked): boolean =>
  trustedProxies === 0 &&
  !forwarding.some((name) => headers[name] !== undefined) &&
  isBrowsersOwn(headers) &&
  isLoopback((remoteAddress ?? '').replace(/^::ffff:/, '')) &&
  isLoopback(nameIn(`http://${headers.host ?? ''}`)) &&
  ['same-origin', undefined].includes(siteOf(headers)) &&
  [`http://${headers.host}`, undefined].includes(headers.origin);

/**
 * Browsers ask to keep their connection, and a proxy may not hand that on (RFC 9110, section 7.6.1): nginx, which sends none
 * of the headers below unless it is told to, sends "close" or nothing.
 */
const isBrowsersOwn = ({ connection }: IncomingHttpHeaders): boolean =>
  connection?.toLowerCase() === 'keep-alive';

/**
 * A proxy on this machine asks from a loopback address for callers that may be anywhere. One that shows itself in no way
 * cannot be distinguished from a browser: behind it TRUST_PROXY has to be set (docs/operate/production.md).
 */
export const forwarding = [
  ...['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'],
  ...['x-forwarded-port', 'x-forwarded-server', 'x-real-ip', 'x-client-ip', 'true-client-ip'],
  ...['cf-connecting-ip', 'cdn-loop'],
];

/** A page of another site can have its own name resolve to a loopback address, but it cannot change its name in Host. */
const nameIn = (url: string): string =>
  URL.canParse(url) ? new URL(url).hostname.replace(/^\[(.*)\]$/, '$1') : '';

const siteOf = ({ 'sec-fetch-site': site }: IncomingHttpHeaders): string | undefined =>
  site === undefined ? undefined : String(site);
