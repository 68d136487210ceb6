/** HTTP with Triton: the bytes of a request, and the bytes of its answer, whatever its status. */
import { Agent } from 'node:http';
import { Readable } from 'node:stream';
import axios, { type AxiosRequestConfig, isAxiosError } from 'axios';
import { z } from 'zod';

export type Reply = {
  readonly status: number;
  readonly body: Buffer;
  /** Inference-Header-Content-Length: how much of the body is JSON. */
  readonly headerLength: string | undefined;
};

/** Each throws an Error with what happened when no answer came, and the signal's reason on abort. */
export type Wire = {
  get(path: string, within?: Partial<Within>): Promise<Reply>;
  post(path: string, body?: object, within?: Partial<Within>): Promise<Reply>;
  send(path: string, message: Message): Promise<Reply>;
  /** Ends the requests that are under way. */
  close(): void;
};

export type Within = { readonly timeoutMs: number; readonly signal: AbortSignal | undefined };
type Message = Within & {
  readonly chunks: readonly Buffer[];
  readonly headers: Readonly<Record<string, string | number>>;
};

const shortTimeoutMs = 10_000;

/** The header that must hold the secret in every request but health checks; inference/serving/keeper.py sets that up. */
export const adminHeader = 'x-enhance-admin';

export type TritonAddress = {
  readonly httpUrl: string;
  readonly adminSecret?: string | undefined;
};

export const openWire = (
  { httpUrl, adminSecret }: TritonAddress,
  options: { keepAlive: boolean },
): Wire => {
  const httpAgent = new Agent(options);
  let closed = false;
  const client = axios.create({
    baseURL: `${httpUrl}/v2`,
    httpAgent,
    responseType: 'arraybuffer',
    validateStatus: () => true,
    // Without this Triton gzips the pixels, at many times the cost of sending them.
    headers: {
      'accept-encoding': 'identity',
      ...(adminSecret !== undefined && { [adminHeader]: adminSecret }),
    },
    decompress: false,
    // A limit or a followed redirect would put a copying stream between us and the socket.
    maxRedirects: 0,
    maxBodyLength: -1,
    maxContentLength: -1,
    proxy: false,
  });
  const ask = async (
    request: AxiosRequestConfig & { timeout: number },
    signal?: AbortSignal,
  ): Promise<Reply> => {
    if (closed) throw new Error('the connection is closed');
    try {
      const { status, data, headers } = await client.request<Buffer>(
        signal ? { ...request, signal } : request,
      );
      const headerLength = z.string().optional().parse(headers['inference-header-content-length']);
      return { status, body: data, headerLength };
    } catch (error) {
      throw signal?.aborted ? signal.reason : bare(error, request.timeout);
    }
  };
  return {
    get: (path, { timeoutMs: timeout = shortTimeoutMs, signal } = {}) =>
      ask({ url: path, timeout }, signal),
    post: (path, body = {}, { timeoutMs: timeout = shortTimeoutMs, signal } = {}) =>
      ask({ method: 'post', url: path, data: JSON.stringify(body), timeout }, signal),
    send: (path, { chunks, headers, timeoutMs, signal }) =>
      ask(
        { method: 'post', url: path, data: Readable.from(chunks), headers, timeout: timeoutMs },
        signal,
      ),
    close: () => {
      closed = true;
      httpAgent.destroy();
    },
  };
};

/** No answer came in time. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNABORTED';

/** What happened, without the request that axios adds: a log would print all its pixels. */
const bare = (error: unknown, timeoutMs: number): unknown => {
  if (!isAxiosError(error)) return error;
  const { code, message } = error;
  const text = isTimeout(error) ? `no answer within ${timeoutMs} ms` : message;
  return Object.assign(new Error(text), { code });
};

/** The sentence in a refusal of Triton, `{"error": "..."}`. */
export const reasonOf = ({ status, body }: Reply): string => {
  const text = body.toString('utf8', 0, 2000);
  const quoted = /"error"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return quoted === undefined
    ? `HTTP ${status} ${text}`.trim()
    : z.string().parse(JSON.parse(quoted));
};
