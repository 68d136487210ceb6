import { type Logger, pino } from 'pino';

export type Log = Logger;

/** A logger that writes JSON lines to standard output; its child loggers add request_id or job_id. */
export const createLog = (level: string, name: string): Log =>
  pino({ level, base: { part: name }, timestamp: pino.stdTimeFunctions.isoTime });
