/** HTTP with Triton: the bytes of a request, and the bytes of its answer, whatever its status. */
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
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

/** The header that must hold the secret in every request but health checks; inference/keeper/flags.py sets that up. */
export const adminHeader = 'x-enhance-admin';

export type TritonAddress = {
  readonly httpUrl: string;
  readonly adminSecret?: string | undefined;
};

export const openWire = (
  { httpUrl, adminSecret }: TritonAddress,
  options: { keepAlive: boolean },
): Wire => {
  // Node's own client: for a frame in shared memory axios takes as long as all the rest.
  const { Agent, request } = httpUrl.startsWith('https:') ? https : http;
  const agent = new Agent(options);
  // Without this Triton gzips the pixels, at many times the cost of sending them.
  const own = {
    'accept-encoding': 'identity',
    ...(adminSecret !== undefined && { [adminHeader]: adminSecret }),
  };
  let closed = false;
  const ask = async (
    method: 'GET' | 'POST',
    path: string,
    { chunks, headers, timeoutMs, signal }: Message,
  ): Promise<Reply> => {
    if (closed) throw new Error('the connection is closed');
    signal?.throwIfAborted();
    const asked = request(`${httpUrl}/v2${path}`, {
      method,
      agent,
      headers: { ...own, ...headers },
      timeout: timeoutMs,
      ...(signal && { signal }),
    });
    asked.once('timeout', () => asked.destroy(new TimeoutError(timeoutMs)));
    // Once an answer has begun, only the request knows why it ended.
    let ended: unknown;
    asked.on('error', (error) => {
      ended ??= error;
    });
    try {
      for (const chunk of chunks) asked.write(chunk);
      asked.end();
      const [answer] = await once(asked, 'response');
      return await readWhole(answer);
    } catch (error) {
      throw signal?.aborted ? signal.reason : (ended ?? error);
    }
  };
  const usual = { headers: {}, timeoutMs: shortTimeoutMs, signal: undefined };
  return {
    get: (path, within = {}) => ask('GET', path, { ...usual, chunks: [], ...within }),
    post: (path, body = {}, within = {}) => {
      const chunk = Buffer.from(JSON.stringify(body));
      const headers = { 'content-type': 'application/json', 'content-length': chunk.length };
      return ask('POST', path, { ...usual, headers, chunks: [chunk], ...within });
    },
    send: (path, message) => ask('POST', path, message),
    close: () => {
      closed = true;
      agent.destroy();
    },
  };
};

const HeaderLength = z.string().optional();

const readWhole = async (answer: IncomingMessage): Promise<Reply> => {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  const headerLength = HeaderLength.parse(answer.headers['inference-header-content-length']);
  return { status: answer.statusCode ?? 0, body: Buffer.concat(chunks), headerLength };
};

class TimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
  }
}

/** No answer came in time. */
export const isTimeout = (error: unknown): boolean => error instanceof TimeoutError;

/** The sentence in a refusal of Triton, `{"error": "..."}`. */
export const reasonOf = ({ status, body }: Reply): string => {
  const text = body.toString('utf8', 0, 2000);
  const quoted = /"error"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return quoted === undefined
    ? `HTTP ${status} ${text}`.trim()
    : z.string().parse(JSON.parse(quoted));
};
