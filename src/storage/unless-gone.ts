/** What a call on a file answers; null when the file, or the folder that it is in, does not exist (ENOENT). */
export const unlessGone = async <T>(found: Promise<T>): Promise<T | null> => {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
};
