import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import axios, { type AxiosResponse } from 'axios';
import type { Config } from '../../config.ts';
import { Failure } from '../../errors.ts';
import { type Admit, writeAll } from '../../storage/write-all.ts';
import { explain, fetchFault } from './fetch-fault.ts';
import { checkUrl, guardedLookup } from './guard.ts';
import { Patience } from './transfer-deadline.ts';

/** A server that is connected may be silent for this long. */
const SILENCE_MS = 30_000;

export type Stored = { readonly path: string; readonly bytes: number; readonly sha256: string };

/**
 * Fetches what a caller names into the file at `path`, while hashing it; no private address is reached, on no hop, and
 * no answer is endless. Throws url_not_allowed, url_fetch_failed or file_too_large, and then leaves no file.
 */
export const fetchTo = async (
  url: string,
  path: string,
  config: Config['fetch'],
  maxBytes: number,
  signal: AbortSignal,
  admit?: Admit,
): Promise<Stored> => {
  const patience = new Patience(config.timeoutMs, signal);
  const named = new URL(url);
  let at = named;
  try {
    for (let hops = 0; ; hops += 1) {
      const answer = await request(at, config, patience);
      const next = redirection(answer.response, at);
      if (!next) return await store(answer, path, maxBytes, patience, admit);
      answer.response.data.destroy();
      if (hops === config.redirects) throw fetchFault(`it redirects more than ${hops} times`);
      at = next;
    }
  } catch (error) {
    await rm(path, { force: true });
    signal.throwIfAborted();
    throw explain(error, named, at, patience.exceeded);
  } finally {
    patience.end();
  }
};

type Answer = {
  readonly response: AxiosResponse<Readable>;
  /** What came behind the declared end of the answer, if something did. */
  overrun(): Error | null;
};

const request = async (url: URL, config: Config['fetch'], patience: Patience): Promise<Answer> => {
  checkUrl(url, config.allowHosts);
  patience.expect(config.connectTimeoutMs, 'no connection was made');
  let overrun: Error | null = null;
  const connected = () => patience.expect(SILENCE_MS, 'the server sent nothing');
  const open = url.protocol === 'https:' ? https.request : http.request;
  const transport = {
    // No agent: each hop has a connection of its own, made by the lookup that checks it.
    request: (options: RequestOptions, answer: (message: IncomingMessage) => void) => {
      const lookup = guardedLookup(url, config.allowHosts);
      const sent = open({ ...options, lookup, agent: false }, (message) => {
        sent.once('error', (error) => {
          overrun = error;
        });
        answer(message);
      });
      return sent.once('socket', (socket) => socket.once('connect', connected));
    },
  };
  const response = await axios.request<Readable>({
    url: url.href,
    responseType: 'stream',
    headers: { Accept: '*/*', 'Accept-Encoding': 'identity', 'User-Agent': 'enhance' },
    signal: patience.signal,
    maxRedirects: 0,
    proxy: false,
    decompress: false,
    validateStatus: () => true,
    transport,
  });
  return { response, overrun: () => overrun };
};

const redirection = ({ status, headers }: AxiosResponse, from: URL): URL | null => {
  if (![301, 302, 303, 307, 308].includes(status)) return null;
  const { location } = headers;
  if (typeof location !== 'string' || !URL.canParse(location, from.href)) {
    throw fetchFault(`it answers ${status} without a place to go`);
  }
  return new URL(location, from);
};

const store = async (
  { response, overrun }: Answer,
  path: string,
  maxBytes: number,
  patience: Patience,
  admit: Admit | undefined,
): Promise<Stored> => {
  const { status, headers, data } = response;
  const declared = Number(headers['content-length'] ?? 0);
  const encoding = headers['content-encoding'] ?? 'identity';
  const tooLarge = (came: string) =>
    new Failure('file_too_large', { what: 'The file at the URL', limit_bytes: maxBytes, came });
  try {
    if (status !== 200) throw fetchFault(`the server answered ${status}`);
    if (encoding !== 'identity')
      throw fetchFault(`it came compressed (${String(encoding).slice(0, 40)}), unasked`);
    if (declared > maxBytes) throw tooLarge(String(declared));
    const hash = createHash('sha256');
    let bytes = 0;
    const count = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        patience.expect(SILENCE_MS, 'the server sent nothing more');
        bytes += chunk.length;
        if (bytes > maxBytes) throw tooLarge(`more than ${maxBytes}`);
        hash.update(chunk);
        yield chunk;
      }
    };
    await writeAll(path, count(data), { ...(admit && { admit }) });
    if (overrun()) throw fetchFault(`it sent more than the ${declared} bytes that it declared`);
    return { path, bytes, sha256: hash.digest('hex') };
  } finally {
    data.destroy();
  }
};
