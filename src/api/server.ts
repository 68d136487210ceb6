import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type Server } from 'node:http';
import type Koa from 'koa';
import { Failure } from '../errors.ts';
import { problemOf } from '../problem.ts';
import type { State } from './route.ts';

/** The app behind a server whose time limits let a slow line send 500 MB and a job be waited for. */
export const createServer = (app: Koa<State>): Server => {
  const handle = app.callback();
  const server = createHttpServer(
    { headersTimeout: 20_000, requestTimeout: 3_600_000, keepAliveTimeout: 65_000 },
    handle,
  );
  // The answer decides whether the body may come: `100 Continue` is sent when it is read (body.ts).
  server.on('checkContinue', handle);
  server.on('clientError', (error, socket) => {
    if (socket.writable && !socket.destroyed) socket.end(answerTo(error));
    else socket.destroy(error);
  });
  return server;
};

/** What the HTTP parser refused never reached the app; it is told in the same words. */
const answerTo = (error: Error): string => {
  const requestId = randomUUID();
  const failure = new Failure('validation_failed', {
    detail: `The request could not be read as HTTP: ${error.message}.`,
  });
  const body = JSON.stringify(problemOf(failure, { instance: '', requestId }));
  const lines = [
    `HTTP/1.1 ${failure.status} Unprocessable Content`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Api-Version: 1',
    'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
};
