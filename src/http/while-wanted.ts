import type { Context } from './context.ts';

/**
 * Runs `work` with a signal that is aborted when the caller hangs up or the server drains. A caller that closes its own
 * side only may still read, but looks like one that is gone: it is waited for no longer.
 */
export const whileWanted = async <T>(
  { req, res }: Context,
  draining: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const unwanted = new AbortController();
  const stop = () => unwanted.abort();
  if (draining.aborted || res.destroyed || req.socket.readableEnded) stop();
  res.once('close', stop);
  req.socket.once('end', stop);
  draining.addEventListener('abort', stop);
  try {
    return await work(unwanted.signal);
  } finally {
    res.off('close', stop);
    req.socket.off('end', stop);
    draining.removeEventListener('abort', stop);
  }
};
