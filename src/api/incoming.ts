import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A folder for what one request brings, made when first asked for. Removing it removes whatever
 * was begun in it, half-written files of a caller that hung up included: a file that is opened
 * late has no folder any more to appear in.
 */
export const createIncoming = (dir: string) => {
  let made: Promise<string> | undefined;
  const make = async (): Promise<string> => {
    const path = join(dir, 'incoming', randomUUID());
    await mkdir(path, { recursive: true });
    return path;
  };
  return {
    folder: (): Promise<string> => {
      made ??= make();
      return made;
    },
    remove: async (): Promise<void> => {
      if (made) await rm(await made, { recursive: true, force: true, maxRetries: 3 });
    },
  };
};
