import type { Context } from './context.ts';

/**
 * Runs `work` with a signal that is aborted when the caller hangs up or with `shutdown`. A caller that closes
 * only its own side of the connection (half-close) may still read, but cannot be distinguished from one that hung up: `work` is
 * aborted, and the answer is still sent.
 */
export const whileWanted = async <T>(
  { req, res }: Context,
  shutdown: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const unwanted = new AbortController();
  const stop = () => unwanted.abort();
  if (shutdown.aborted || res.destroyed || req.socket.readableEnded) stop();
  res.once('close', stop);
  req.socket.once('end', stop);
  shutdown.addEventListener('abort', stop);
  try {
    return await work(unwanted.signal);
  } finally {
    res.off('close', stop);
    req.socket.off('end', stop);
    shutdown.removeEventListener('abort', stop);
  }
};
