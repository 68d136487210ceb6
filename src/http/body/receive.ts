import { Failure } from '../../errors.ts';
import type { Context } from '../context.ts';

/** Bytes that have to arrive within `stallMs`; with the default of 60 s that is 68 bytes a second. */
const leastBytes = 4096;

/**
 * Runs `read`, whose signal is aborted when less than 4 KiB arrived within `stallMs`: without that, a caller that sends
 * one byte a minute would occupy a connection for ever. Failure request_timeout.
 */
export const receive = async <T>(
  ctx: Context,
  stallMs: number,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const { req, res } = ctx;
  // A reader that starts on a destroyed request would wait for ever.
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
