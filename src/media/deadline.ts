import { decodeFailed } from './outcome.ts';

/**
 * Minutes on a machine that is busy with other things. A file that takes much work is told by the processor time that it
 * takes (`cpuSeconds` of the probes, 60 s); this is for what hangs.
 */
const DEADLINE_MS = 300_000;

/** Reads a file under a signal that is also aborted after 300 s. Then it throws decode_failed: our machine is slow. */
export const withDeadline = async <T>(
  signal: AbortSignal,
  read: (either: AbortSignal) => Promise<T>,
): Promise<T> => {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  try {
    return await read(AbortSignal.any([signal, deadline]));
  } catch (error) {
    if (!deadline.aborted || signal.aborted) throw error;
    throw decodeFailed(`it could not be read within ${DEADLINE_MS / 1000} s`, error);
  }
};
