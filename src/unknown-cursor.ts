import { Failure } from './errors.ts';

/** Of a list that was to go on after something that is not in it. `expected` completes "Expected the id of ...". */
export const unknownCursor = (expected: string): Failure => {
  const detail = `Expected the id of ${expected}.`;
  const fault = { pointer: '/starting_after', code: 'invalid_cursor', detail };
  return new Failure('validation_failed', {}, { faults: [fault] });
};
