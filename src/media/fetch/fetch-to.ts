import { rm } from 'node:fs/promises';
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import axios, { type AxiosResponse } from 'axios';
import type { Config } from '../../config.ts';
import { Failure } from '../../errors.ts';
import type { StoredFile } from '../../storage/stored-file.ts';
import { type Admit, writeHashed } from '../../storage/write-all.ts';
import { explain, fetchFault } from './fetch-fault.ts';
import { checkUrl, guardedLookup } from './guard.ts';
import { TransferDeadline } from './transfer-deadline.ts';

/** A connected server may send nothing for this long. */
const SILENCE_MS = 30_000;

type FetchOptions = {
  readonly url: string;
  readonly path: string;
  readonly config: Config['fetch'];
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly admit?: Admit | undefined;
};

/**
 * Fetches the URL of a request into the file at `path` and hashes it meanwhile. No private address is reached, on no
 * redirect, and no transfer is endless. Throws url_not_allowed, url_fetch_failed or file_too_large, and then leaves no
 * file.
 */
export const fetchTo = async (options: FetchOptions): Promise<StoredFile> => {
  const { path, config, signal } = options;
  const deadline = new TransferDeadline(config.timeoutMs, signal);
  const requested = new URL(options.url);
  let current = requested;
  try {
    for (let hops = 0; ; hops += 1) {
      const answer = await request(current, config, deadline);
      const next = redirection(answer.response, current);
      if (!next) return await store(answer, options, deadline);
      answer.response.data.destroy();
      if (hops === config.redirects)
        throw fetchFault(`it redirects more than ${hops} times, the limit`, false);
      current = next;
    }
  } catch (error) {
    await rm(path, { force: true });
    signal.throwIfAborted();
    throw explain(error, { requested, current, exceeded: deadline.exceeded });
  } finally {
    deadline.end();
  }
};

type Answer = {
  readonly response: AxiosResponse<Readable>;
  /** The error for bytes behind the declared end of the answer; null while there are none. */
  overrun(): Error | null;
};

const request = async (
  url: URL,
  config: Config['fetch'],
  deadline: TransferDeadline,
): Promise<Answer> => {
  checkUrl(url, config.allowHosts);
  deadline.step(config.connectTimeoutMs, 'no connection was made');
  let overrun: Error | null = null;
  const connected = () => deadline.step(SILENCE_MS, 'the server sent nothing');
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
    signal: deadline.signal,
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
    throw fetchFault(`it answers ${status} without a valid Location`, false);
  }
  return new URL(location, from);
};

type Storing = Pick<FetchOptions, 'path' | 'maxBytes' | 'admit'>;

const store = async (
  { response, overrun }: Answer,
  { path, maxBytes, admit }: Storing,
  deadline: TransferDeadline,
): Promise<StoredFile> => {
  const { data } = response;
  try {
    const declared = checkHead(response, maxBytes);
    let bytes = 0;
    const count = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        deadline.step(SILENCE_MS, 'the server sent nothing more');
        bytes += chunk.length;
        if (bytes > maxBytes) throw tooLarge(maxBytes, `more than ${maxBytes}`);
        yield chunk;
      }
    };
    const stored = await writeHashed(path, count(data), { ...(admit && { admit }) });
    if (overrun())
      throw fetchFault(`the server sent more than the ${declared} bytes of its Content-Length`);
    return stored;
  } finally {
    data.destroy();
  }
};

/** The declared length in bytes; 0 where none is. Throws for an answer that is not the file, or too large a one. */
const checkHead = ({ status, headers }: AxiosResponse, maxBytes: number): number => {
  const declared = Number(headers['content-length'] ?? 0);
  const encoding = String(headers['content-encoding'] ?? 'identity');
  if (status !== 200) throw fetchFault(`the server answered ${status}`, isRetryable(status));
  if (encoding !== 'identity') {
    const name = encoding.slice(0, 40);
    throw fetchFault(`the server compressed it (${name}) though it was asked not to`, false);
  }
  if (declared > maxBytes) throw tooLarge(maxBytes, String(declared));
  return declared;
};

/** Whether the same request may get another answer: not after 4xx such as 404, except those that ask for patience. */
const isRetryable = (status: number): boolean =>
  status < 400 || status >= 500 || [408, 425, 429].includes(status);

const tooLarge = (limit_bytes: number, came: string): Failure =>
  new Failure('file_too_large', { what: 'The file at the URL', limit_bytes, came });
