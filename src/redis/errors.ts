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

/** Whether Redis refused a write because it has no memory left; what it holds it goes on to answer. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error &&
  // Redis 6 quotes it in the error of a script.
  (/^(ERR Error running script .*-)?OOM command not allowed/.test(error.message) ||
    // Of a transaction, ioredis lists what was refused in it.
    ('previousErrors' in error &&
      Array.isArray(error.previousErrors) &&
      error.previousErrors.some(isOutOfMemory)));
