/** How Triton's failures are told, alike over every transport. */
import { Failure } from '../../errors.ts';

export const modelUnavailable = (model: string, cause: unknown): Failure =>
  new Failure('model_unavailable', { model }, { cause });

export const inferenceFailed = (model: string, reason: string, cause?: unknown): Failure =>
  new Failure('inference_failed', { model, reason }, { cause });

export const tooSlow = (model: string, timeoutMs: number): Failure =>
  inferenceFailed(model, `no answer within ${timeoutMs} ms`);

/** Triton's own refusal. `absent`: it says that it does not serve the model now. */
export const refused = (model: string, reason: string, absent: boolean): Failure =>
  // A dead Python process answers as any error of the model does, but no request can succeed until it is reloaded.
  absent || /stub process/i.test(reason)
    ? modelUnavailable(model, new Error(reason))
    : inferenceFailed(model, reason.replace(/\.$/, ''));

/** Reads an answer; an Error about what it holds becomes the model's failure. */
export const trusted = <T>(model: string, read: () => T): T => {
  try {
    return read();
  } catch (cause) {
    throw inferenceFailed(model, cause instanceof Error ? cause.message : String(cause), cause);
  }
};
