import { Failure } from '../../errors.ts';

/** `what` is the subject of the sentence; how many bytes came is not known, as reading stops at the limit. */
export const tooLarge = (what: string, limit_bytes: number): Failure =>
  new Failure('file_too_large', { what, limit_bytes, came: 'more' });
