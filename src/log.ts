import { type Logger, pino } from 'pino';

export type Log = Logger;

/** JSON lines on standard output; a child logger carries request_id or job_id. */
export const createLog = (level: string, name: string): Log =>
  pino({ level, base: { part: name }, timestamp: pino.stdTimeFunctions.isoTime });
