import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessGone } from './unless-gone.ts';

/**
 * Files that an attempt leaves for the next attempt of the same job. A checkpoint is there whole or not at all. Two attempts
 * may overlap for a moment; then both write the same content. Unfinished files of a killed attempt are removed with the job.
 */
export type Checkpoints = {
  readonly path: (name: string) => string;
  /** `make` writes to the path that it is given; the file gets its name when `make` has succeeded. */
  put(name: string, make: (path: string) => Promise<void>): Promise<void>;
  has(name: string): Promise<boolean>;
  /** null when it is not there. */
  read(name: string): Promise<string | null>;
};

/** `origin` is all that the checkpoints depend on: those of another origin, such as an older model release, are not seen. */
export const openCheckpoints = async (folder: string, origin: unknown): Promise<Checkpoints> => {
  const mark = createHash('sha256').update(JSON.stringify(origin)).digest('hex').slice(0, 16);
  const dir = join(folder, mark);
  await mkdir(dir, { recursive: true });
  const path = (name: string) => join(dir, name);
  return {
    path,
    put: async (name, make) => {
      const unfinished = path(`${name}.${randomUUID()}.part`);
      try {
        await make(unfinished);
        await flush(unfinished);
        await rename(unfinished, path(name));
      } finally {
        await rm(unfinished, { force: true });
      }
    },
    has: async (name) => (await unlessGone(stat(path(name)))) !== null,
    read: (name) => unlessGone(readFile(path(name), 'utf8')),
  };
};

/** The content is on the disk before the name is: else a power failure could leave a name without it. */
const flush = async (path: string): Promise<void> => {
  const file = await open(path, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
};
