import { randomUUID } from 'node:crypto';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import { Failure } from '../errors.ts';
import { problemOf } from '../problem.ts';
import type { State } from './context.ts';

type Limits = {
  /** Further connections are closed without an answer. */
  readonly maxConnections: number;
  /** The longest time until the first line and the headers of a request have arrived. */
  readonly headersTimeoutMs: number;
  /** The longest time that a request may wait for its job. */
  readonly waitLimitMs: number;
};

const maxHeaderSize = 16 * 1024;
/** Pipelined requests of one connection: sent before the answers to the ones before. All of them run at once; browsers send none. */
const maxPipelined = 100;

/** The HTTP server of the app. Its time limits allow an hour for a body and the whole wait for a job. */
export const createServer = (app: Koa<State>, limits: Limits): Server => {
  const callback = app.callback();
  const server = createHttpServer({
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: Math.min(limits.headersTimeoutMs, 5_000),
    requestTimeout: 3_600_000,
    keepAliveTimeout: 65_000,
    maxHeaderSize,
    // The app refuses a request without Host with a problem; Node would send an empty 400.
    requireHostHeader: false,
  });
  server.maxConnections = limits.maxConnections;
  // Closes a connection that has been idle for this long, as when a caller does not read its answer.
  server.timeout = limits.waitLimitMs + 60_000;
  // A caller that half-closes after the request still gets its answer, but a wait for a job ends (while-wanted.ts).
  // Node's types do not have this property.
  Object.assign(server, { httpAllowHalfOpen: true });
  const answers = new WeakMap<Duplex, Set<ServerResponse>>();
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    const open = answers.get(req.socket) ?? new Set();
    answers.set(req.socket, open.add(res));
    res.once('close', () => open.delete(res));
    if (open.size > maxPipelined) req.socket.destroy();
    else if (normalizeTarget(req)) void callback(req, res);
    else answer(res, new Failure('invalid_request', { reason: 'its target is not a URL path' }));
  };
  server.on('request', handle);
  // `100 Continue` is sent only when the body is read (receive.ts), so that a refusal comes before the body.
  server.on('checkContinue', handle);
  // Other values of Expect are refused by the app.
  server.on('checkExpectation', handle);
  // By default Node closes the connection without an answer.
  server.on('connect', (_, socket) =>
    close(
      socket,
      new Failure('invalid_request', { reason: 'the method CONNECT is for proxies only' }),
    ),
  );
  const answered = new WeakSet<Duplex>();
  server.on('clientError', (error, socket) => {
    // One answer for each connection: it is closed after it, and what follows cannot be parsed either.
    if (answered.has(socket)) return;
    answered.add(socket);
    if (!socket.writable) socket.destroy(error);
    else refuse(error, socket, [...(answers.get(socket) ?? [])].at(-1));
  });
  return server;
};

/** The time that a caller has to read the last answer of its connection. */
const lingerMs = 2000;

/** Answers bytes that are not valid HTTP, after the answers to all requests before them. */
const refuse = (error: Error, socket: Duplex, last: ServerResponse | undefined): void => {
  const end = () => close(socket, failureOf(error));
  if (!last || last.writableFinished) end();
  else if (last.req.complete) last.once('close', end);
  // The body of the last request is not valid, and its answer has already begun.
  else if (last.headersSent) socket.destroy(error);
  else end();
};

const close = (socket: Duplex, failure: Failure): void => {
  if (!socket.writable) return;
  socket.end(rawAnswer(failure));
  setTimeout(() => socket.destroy(), lingerMs).unref();
};

/**
 * Whether the request target is valid; rewrites the form for proxies, `http://host/path`, to `/path`. Blanks and
 * fragments are not valid in a target, and koa would parse them with `url.parse`, which throws.
 */
const normalizeTarget = (req: IncomingMessage): boolean => {
  const { url = '' } = req;
  if (url.startsWith('/') || url === '*') return !/[\s#]/.test(url);
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  const { pathname, search } = new URL(url);
  req.url = `${pathname}${search}`;
  return true;
};

/** The headers and body of a failure that never reaches the app, in the same form as the app's. */
const problemFor = (failure: Failure) => {
  const requestId = randomUUID();
  const body = JSON.stringify(problemOf(failure, { instance: '', requestId }));
  const headers = {
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    'Api-Version': '1',
    Connection: 'close',
  };
  return { headers, body };
};

const answer = (res: ServerResponse, failure: Failure): void => {
  const { headers, body } = problemFor(failure);
  res.writeHead(failure.status, headers).end(body);
};

/** A failure as raw HTTP, for a connection without a parsed request. */
const rawAnswer = (failure: Failure): string => {
  const { headers, body } = problemFor(failure);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const first = `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}`;
  return `${[first, ...lines].join('\r\n')}\r\n\r\n${body}`;
};

const failureOf = (error: NodeJS.ErrnoException): Failure => {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return new Failure('header_too_large', { limit_bytes: maxHeaderSize });
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Failure('request_timeout');
  return new Failure('invalid_request', { reason: error.message });
};
