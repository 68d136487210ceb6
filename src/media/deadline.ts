import { unreadable } from './outcome.ts';

const DEADLINE_MS = 60_000;

/** Reads a file under a signal that also ends after a minute, which then is media_unreadable. */
export const inTime = async <T>(
  signal: AbortSignal,
  read: (either: AbortSignal) => Promise<T>,
): Promise<T> => {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  try {
    return await read(AbortSignal.any([signal, deadline]));
  } catch (error) {
    if (!deadline.aborted || signal.aborted) throw error;
    throw unreadable(`it could not be read within ${DEADLINE_MS / 1000} s`, error);
  }
};
