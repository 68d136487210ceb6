import type { Context } from './route.ts';

/** Runs `work` with a signal that is aborted when the caller hangs up or the server drains. */
export const whileWanted = async <T>(
  { res }: Context,
  draining: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const unwanted = new AbortController();
  const stop = () => unwanted.abort();
  if (draining.aborted || res.destroyed) stop();
  res.once('close', stop);
  draining.addEventListener('abort', stop);
  try {
    return await work(unwanted.signal);
  } finally {
    res.off('close', stop);
    draining.removeEventListener('abort', stop);
  }
};
