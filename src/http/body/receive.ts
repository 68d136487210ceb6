import { Failure } from '../../errors.ts';
import type { Context } from '../route.ts';

/** Slower than 0.3 kB a second nobody sends who means it; the slowest modems were twenty times as fast. */
const leastBytes = 4096;

/**
 * Lets `read` read the body. Its signal is aborted when next to nothing has come for `stallMs`: a caller that sends
 * a byte a minute would hold its place for ever. Failure request_timeout.
 */
export const receive = async <T>(
  ctx: Context,
  stallMs: number,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const { req, res } = ctx;
  // A reader that starts on a request that has ended already would wait for ever.
  if (req.destroyed) throw new Failure('request_timeout');
  if (ctx.get('expect') !== '') res.writeContinue();
  const stalled = new AbortController();
  const { socket } = req;
  let before = socket.bytesRead;
  const look = setInterval(() => {
    if (!req.complete && socket.bytesRead - before < leastBytes)
      stalled.abort(new Failure('request_timeout'));
    before = socket.bytesRead;
  }, stallMs);
  try {
    return await read(stalled.signal);
  } finally {
    clearInterval(look);
  }
};
