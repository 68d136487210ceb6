/** Errors of a Redis that is away, told apart from those of a command. */

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
