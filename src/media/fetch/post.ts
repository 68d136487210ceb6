import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import axios from 'axios';
import type { Config } from '../../config.ts';
import { explain } from './fetch-fault.ts';
import { checkUrl, guardedLookup } from './guard.ts';

type Post = {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly config: Pick<Config['fetch'], 'allowHosts'>;
  /** The longest time from the look-up of the host to the first line of the answer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

/** So much of an answer is read, so that its sender is not cut off in it. What it says does not matter. */
const MOST_BYTES = 4096;

/**
 * Sends JSON to a URL that a caller named and answers the status. No private address is reached and no redirect followed.
 * Throws url_not_allowed or url_fetch_failed, or the reason of `signal`.
 */
export const postTo = async ({ url, body, headers, config, timeoutMs, signal }: Post) => {
  const requested = new URL(url);
  const late = AbortSignal.timeout(timeoutMs);
  try {
    checkUrl(requested, config.allowHosts);
    const { status, data } = await axios.post<Readable>(url, Buffer.from(body), {
      responseType: 'stream',
      maxRedirects: 0,
      proxy: false,
      decompress: false,
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'enhance', ...headers },
      signal: AbortSignal.any([signal, late]),
      validateStatus: () => true,
      transport: guardedTransport(requested, config.allowHosts),
    });
    await readSome(data);
    return status;
  } catch (error) {
    signal.throwIfAborted();
    const exceeded = late.aborted ? `no answer came within ${timeoutMs / 1000} s` : null;
    throw explain(error, { requested, current: requested, exceeded });
  }
};

/** No agent: each call has a connection of its own, made by the look-up that checks its address. */
const guardedTransport = (url: URL, allowHosts: readonly string[]) => ({
  request: (options: RequestOptions, answer: (message: IncomingMessage) => void) => {
    const open = url.protocol === 'https:' ? https.request : http.request;
    return open({ ...options, lookup: guardedLookup(url, allowHosts), agent: false }, answer);
  },
});

const readSome = async (data: Readable): Promise<void> => {
  let bytes = 0;
  try {
    for await (const chunk of data) {
      bytes += chunk.length;
      if (bytes >= MOST_BYTES) return;
    }
  } catch {
    // The status is known, whatever becomes of the rest.
  } finally {
    data.destroy();
  }
};
