import { Failure } from '../errors.ts';

/** A release that cannot be added; `reason` is a sentence without its full stop. */
export const refused = (reason: string, cause?: unknown): Failure =>
  new Failure('release_refused', { reason }, { cause });
