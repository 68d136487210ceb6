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
import type { State } from './route.ts';

type Limits = {
  /** More connections than so many are closed unheard. */
  readonly maxConnections: number;
  /** For the first line and the headers of a request. */
  readonly headersTimeoutMs: number;
  /** The longest that a request may rightly be silent. */
  readonly waitLimitMs: number;
};

const maxHeaderSize = 16 * 1024;
/** Requests of one connection that are sent ahead of their answers; browsers send none, and each is worked on at once. */
const mostPipelined = 100;

/** The app behind a server whose time limits let a slow line send 500 MB and a job be waited for. */
export const createServer = (app: Koa<State>, limits: Limits): Server => {
  const callback = app.callback();
  const server = createHttpServer({
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: Math.min(limits.headersTimeoutMs, 5_000),
    ...{ requestTimeout: 3_600_000, keepAliveTimeout: 65_000, maxHeaderSize },
    // Its absence is refused by the app, in words; Node would answer without any.
    requireHostHeader: false,
  });
  server.maxConnections = limits.maxConnections;
  // For an answer that nobody takes.
  server.timeout = limits.waitLimitMs + 60_000;
  // A caller that closes its side after the request still gets its answer; what waits ends the wait (while-wanted.ts).
  // Node has the switch but does not type it.
  Object.assign(server, { httpAllowHalfOpen: true });
  const answers = new WeakMap<Duplex, Set<ServerResponse>>();
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    const open = answers.get(req.socket) ?? new Set();
    answers.set(req.socket, open.add(res));
    res.once('close', () => open.delete(res));
    if (open.size > mostPipelined) req.socket.destroy();
    else if (readTarget(req)) void callback(req, res);
    else tell(res, new Failure('invalid_request', { reason: 'its target is no URL' }));
  };
  server.on('request', handle);
  // The answer decides whether the body may come: `100 Continue` is sent when it is read (receive.ts).
  server.on('checkContinue', handle);
  // Any other expectation: the app refuses it.
  server.on('checkExpectation', handle);
  // Node would close the connection without a word.
  server.on('connect', (_, socket) =>
    close(socket, new Failure('invalid_request', { reason: noProxy })),
  );
  const told = new WeakSet<Duplex>();
  server.on('clientError', (error, socket) => {
    // Whatever else comes on a connection that is about to be closed is as unreadable.
    if (told.has(socket)) return;
    told.add(socket);
    if (!socket.writable) socket.destroy(error);
    else refuse(error, socket, [...(answers.get(socket) ?? [])].at(-1));
  });
  return server;
};

const noProxy = 'CONNECT is for proxies, and this is none';
/** How long a caller has to read the last answer of its connection. */
const lingerMs = 2000;

/** Answers what could not be read, after all that was asked before it. */
const refuse = (error: Error, socket: Duplex, last: ServerResponse | undefined): void => {
  const end = () => close(socket, failureOf(error));
  if (!last || last.writableFinished) end();
  else if (last.req.complete) last.once('close', end);
  // It is the body of this request that cannot be read; an answer that has begun cannot become another.
  else if (last.headersSent) socket.destroy(error);
  else end();
};

const close = (socket: Duplex, failure: Failure): void => {
  if (!socket.writable) return;
  socket.end(answerOf(failure));
  setTimeout(() => socket.destroy(), lingerMs).unref();
};

/**
 * Brings `http://host/path`, which a proxy would get, to `/path`. False for what is neither, and for what no target may
 * hold, blanks and fragments: koa reads the path of those by `url.parse`, which throws, in listeners too.
 */
const readTarget = (req: IncomingMessage): boolean => {
  const { url = '' } = req;
  if (url.startsWith('/') || url === '*') return !/[\s#]/.test(url);
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  const { pathname, search } = new URL(url);
  req.url = `${pathname}${search}`;
  return true;
};

/** What never reaches the app is told in the same words. */
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

const tell = (res: ServerResponse, failure: Failure): void => {
  const { headers, body } = problemFor(failure);
  res.writeHead(failure.status, headers).end(body);
};

/** The same as bytes, for a connection without a request. */
const answerOf = (failure: Failure): string => {
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
