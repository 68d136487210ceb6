/** HTTP with Triton, one place for its limits, its time-out and what becomes of a lost connection. */
import { Agent } from 'node:http';
import { Readable } from 'node:stream';
import axios, { isAxiosError, isCancel } from 'axios';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { decodeAnswer, type Encoded } from './binary.ts';
import { modelUnavailable, refused, tooSlow, trusted } from './faults.ts';
import type { Answered } from './tensor.ts';

export type Reply = {
  readonly status: number;
  readonly body: Buffer;
  readonly headerLength: string | undefined;
};

export type Exchange = {
  /** Any answer, refusals included. Throws Failure model_unavailable when there is none, and the signal's reason on abort. */
  infer(model: string, request: Encoded, signal: AbortSignal): Promise<Reply>;
  /** The control API; a lost connection is thrown as it is. */
  post(path: string, body?: object, timeoutMs?: number): Promise<Reply>;
  get(path: string): Promise<Reply>;
  /** Gives up what is under way. */
  close(): void;
};

const controlTimeoutMs = 10_000;

export const openExchange = ({
  httpUrl,
  requestTimeoutMs,
}: Pick<Config['triton'], 'httpUrl' | 'requestTimeoutMs'>): Exchange => {
  const httpAgent = new Agent({ keepAlive: true });
  let closed = false;
  const client = axios.create({
    baseURL: `${httpUrl}/v2`,
    httpAgent,
    responseType: 'arraybuffer',
    validateStatus: () => true,
    // Any limit or redirect would put a copying stream between us and the socket.
    maxRedirects: 0,
    maxBodyLength: -1,
    maxContentLength: -1,
    decompress: false,
    // Without this Triton gzips the pixels, at many times the cost of sending them.
    headers: { 'accept-encoding': 'identity' },
    proxy: false,
  });
  const send = async (options: object): Promise<Reply> => {
    const { status, data, headers } = await client.request<Buffer>(options);
    const headerLength = z.string().optional().parse(headers['inference-header-content-length']);
    return { status, body: data, headerLength };
  };

  return {
    infer: async (model, { headerBytes, bytes, chunks }, signal) => {
      signal.throwIfAborted();
      if (closed) throw modelUnavailable(model, new Error('the connection is closed'));
      try {
        return await send({
          method: 'post',
          url: `/models/${encodeURIComponent(model)}/infer`,
          data: Readable.from(chunks),
          headers: {
            'content-type': 'application/octet-stream',
            'content-length': bytes,
            'inference-header-content-length': headerBytes,
          },
          timeout: requestTimeoutMs,
          signal,
        });
      } catch (error) {
        if (isCancel(error) || signal.aborted) throw signal.reason;
        if (isAxiosError(error) && error.code === 'ECONNABORTED') {
          throw tooSlow(model, requestTimeoutMs);
        }
        throw modelUnavailable(model, bare(error));
      }
    },
    post: (path, body = {}, timeout = controlTimeoutMs) =>
      send({ method: 'post', url: path, data: JSON.stringify(body), timeout }),
    get: (path) => send({ url: path, timeout: controlTimeoutMs }),
    close: () => {
      closed = true;
      httpAgent.destroy();
    },
  };
};

/** What happened, without the request: that holds the pixels, and a log would print them. */
const bare = (error: unknown): unknown =>
  isAxiosError(error) ? new Error(`${error.code ?? 'no answer'}: ${error.message}`) : error;

/** The outputs in an answer. Throws the Failure that a refusal or a malformed answer is. */
export const readReply = (model: string, reply: Reply): Answered[] => {
  const { status, body, headerLength } = reply;
  if (status !== 200) throw refused(model, reasonOf(reply), status === 404 || status === 503);
  return trusted(model, () => decodeAnswer(body, headerLength));
};

/** The sentence in a refusal of Triton, `{"error": "..."}`. */
export const reasonOf = ({ status, body }: Reply): string => {
  const text = body.toString('utf8', 0, 2000);
  const match = /"error"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return match === undefined
    ? `HTTP ${status} ${text}`.trim()
    : z.string().parse(JSON.parse(match));
};
