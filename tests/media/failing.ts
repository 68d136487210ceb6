import * as assert from 'uvu/assert';
import { Failure, type FailureCode } from '../../src/errors.ts';

/** The Failure that `work` must end with. */
export const failing = async (
  work: Promise<unknown> | (() => unknown),
  code: FailureCode,
): Promise<Failure> => {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    assert.is(error.code, code, error.message);
    return error;
  }
  throw new Error(`expected ${code}; nothing was thrown`);
};
