/** Errors of a Redis that is away or full, told apart from those of a command. */

/** Whether Redis took a command and did not answer in time; it may be done nevertheless. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Command timed out';

/** Whether a command failed because Redis could not be reached, and not because of the command. */
export const isUnreachable = (error: unknown): boolean =>
  isTimeout(error) ||
  (error instanceof Error &&
    (error.name === 'MaxRetriesPerRequestError' ||
      /^(Connection is closed\.|LOADING .*)$/.test(error.message)));

/** Whether an error is that of a connection to Redis, and not of a command. */
export const isConnectionError = (error: Error): boolean =>
  isUnreachable(error) || 'syscall' in error;

/** Why a Redis that answers takes no writes, by the code that its error begins with. */
const refusals: Readonly<Record<string, string>> = {
  OOM: 'has no memory left',
  MISCONF: 'cannot write to its disk',
  READONLY: 'is a replica that takes no writes',
  NOREPLICAS: 'has lost its replicas and takes no writes',
};

/** Why Redis refused a write as it refuses all of them now; undefined for any other error. Nothing was changed. */
export const refusedWrite = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  // Redis 6 quotes it in the error of a script.
  const [, code = ''] = /^(?:ERR Error running script .*-)?([A-Z]+) /.exec(error.message) ?? [];
  if (refusals[code]) return refusals[code];
  // Of a transaction, ioredis lists what was refused in it.
  const others = 'previousErrors' in error ? error.previousErrors : [];
  return Array.isArray(others) ? others.map(refusedWrite).find(Boolean) : undefined;
};
