/** One inference over HTTP: what is sent, what came, and what becomes of a lost connection. */
import { traceHeader } from '../../tracing/scope.ts';
import { decodeAnswer, type EncodedRequest } from './binary.ts';
import { modelUnavailable, refused, tooSlow, trusted } from './faults.ts';
import type { ReceivedOutput } from './tensor.ts';
import { isTimeout, type Reply, reasonOf, type Wire } from './wire.ts';

/** Any answer, refusals included. Throws a Failure when none came, and the signal's reason on abort. */
export const exchange = async (
  wire: Wire,
  model: string,
  { chunks, bytes, headerBytes }: EncodedRequest,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Reply> => {
  signal.throwIfAborted();
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': bytes,
    'inference-header-content-length': headerBytes,
    ...traceHeader(),
  };
  try {
    const path = `/models/${encodeURIComponent(model)}/infer`;
    return await wire.send(path, { chunks, headers, timeoutMs, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw isTimeout(error) ? tooSlow(model, timeoutMs) : modelUnavailable(model, error);
  }
};

/** The outputs in an answer. Throws the Failure that a refusal or a malformed answer is. */
export const readReply = (model: string, reply: Reply): ReceivedOutput[] => {
  const { status, body, headerLength } = reply;
  if (status !== 200) throw refused(model, reasonOf(reply), status === 404 || status === 503);
  return trusted(model, () => decodeAnswer(body, headerLength));
};
