import { isUnreachable } from '../redis/errors.ts';

/** Undefined while Redis cannot be reached: an old figure would be wrong, and the others are still needed. */
export const known = async <T>(asked: Promise<T>): Promise<T | undefined> => {
  try {
    return await asked;
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    return undefined;
  }
};
