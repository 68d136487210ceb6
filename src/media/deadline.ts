import type { Failure } from '../errors.ts';
import { unreadable } from './outcome.ts';

const DEADLINE_MS = 60_000;

/** The failure to throw when reading a file took too long. */
export type OnTimeout = (reason: string, cause: unknown) => Failure;

/**
 * Reads a file under a signal that is also aborted after 60 s; then it throws what `onTimeout` returns. That is
 * media_unreadable unless said otherwise; in a job, whose file was read well before, our machine is slow: decode_failed.
 */
export const withDeadline = async <T>(
  signal: AbortSignal,
  read: (either: AbortSignal) => Promise<T>,
  onTimeout: OnTimeout = unreadable,
): Promise<T> => {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  try {
    return await read(AbortSignal.any([signal, deadline]));
  } catch (error) {
    if (!deadline.aborted || signal.aborted) throw error;
    throw onTimeout(`it could not be read within ${DEADLINE_MS / 1000} s`, error);
  }
};
