import { mkdir } from 'node:fs/promises';
import type { Files } from '../files/store.ts';

/**
 * A folder for what one request brings, made when first asked for. Removing it removes whatever
 * was begun in it, half-written files of a caller that hung up included: a file that is opened
 * late has no folder any more to appear in.
 */
export const createIncoming = (files: Pick<Files, 'temporary' | 'remove'>) => {
  let made: Promise<string> | undefined;
  const make = async (): Promise<string> => {
    const path = files.temporary();
    await mkdir(path);
    return path;
  };
  return {
    folder: (): Promise<string> => {
      made ??= make();
      return made;
    },
    remove: async (): Promise<void> => {
      if (made) await files.remove(await made);
    },
  };
};
