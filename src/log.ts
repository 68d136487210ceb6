import { type Logger, pino, stdSerializers } from 'pino';
import { isUnreachable } from './redis/errors.ts';
import { scope, traceIdOf } from './tracing/scope.ts';

export type Log = Logger;

/**
 * A logger that writes JSON lines to standard output. A line that belongs to a request or job has request_id, job_id
 * and trace_id, whoever writes it.
 */
export const createLog = (level: string, name: string): Log =>
  pino({
    level,
    base: { part: name },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: idsOf,
    serializers: { err: tellError },
  });

const idsOf = (): object => {
  const { traceparent, ...ids } = scope();
  return traceparent === undefined ? ids : { ...ids, trace_id: traceIdOf(traceparent) };
};

/** An error without the fields that libraries add: ioredis keeps the command there, a password included. */
const tellError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return String(error);
  const { type, message, stack } = stdSerializers.errWithCause(error);
  // The stack is the driver's own, and its message does not name Redis.
  if (isUnreachable(error)) return { type, message: `Redis does not answer: ${message}` };
  const told = { type, message, stack };
  const code = 'code' in error ? { code: String(error.code) } : {};
  return { ...told, ...code, ...(error.cause !== undefined && { cause: tellError(error.cause) }) };
};
