import type { Failure } from '../../errors.ts';
import { unreadable } from '../outcome.ts';

const DEADLINE_MS = 60_000;

/** The failure of a look at a file that took too long, with its reason. */
export type Late = (reason: string, cause: unknown) => Failure;

/**
 * Reads a file under a signal that also ends after a minute, which then is what `late` makes of it: media_unreadable
 * unless the file was read well before, as in a job. There it is our machine that is slow.
 */
export const inTime = async <T>(
  signal: AbortSignal,
  read: (either: AbortSignal) => Promise<T>,
  late: Late = unreadable,
): Promise<T> => {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  try {
    return await read(AbortSignal.any([signal, deadline]));
  } catch (error) {
    if (!deadline.aborted || signal.aborted) throw error;
    throw late(`it could not be read within ${DEADLINE_MS / 1000} s`, error);
  }
};
