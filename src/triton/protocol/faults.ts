/** Triton's errors as failures of the service, the same for every transport. */
import { Failure } from '../../errors.ts';

/** cause: why, for the log. Callers only hear that the model is not ready. */
export const modelUnavailable = (model: string, cause: unknown): Failure =>
  new Failure('model_unavailable', { model }, { cause });

const inferenceFailed = (model: string, reason: string, cause?: unknown): Failure =>
  new Failure('inference_failed', { model, reason }, { cause });

export const tooSlow = (model: string, timeoutMs: number): Failure =>
  inferenceFailed(model, `no answer within ${timeoutMs} ms`);

/**
 * How Triton says that it does not serve a model now; the status that goes with it depends on its release. A dead Python
 * process (stub) is reported like an error of the model, but no request can succeed until the model is loaded again.
 */
const absence = /^Request for unknown model|stub process/i;

/** Triton's own refusal. absent: its status says that it does not serve the model now. */
export const refused = (model: string, reason: string, absent: boolean): Failure =>
  absent || absence.test(reason)
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

/** The work, whose Failure names `model`, which callers know, in the place of Triton's name. The cause keeps Triton's name. */
export const toldAs = async <T>(model: string, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { model: name } = error.facts;
    if (typeof name !== 'string' || name === model) throw error;
    const why = error.cause instanceof Error ? error.cause.message : error.message;
    const cause = new Error(`${name}: ${why}`, { cause: error });
    throw new Failure(error.code, { ...error.facts, model }, { cause });
  }
};
