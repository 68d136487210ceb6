import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What an attempt leaves for the next one of the same job. A thing is there whole or not at all; when two attempts make
 * it at once, as they may for a moment, both make the same. What a killed attempt left half made goes with the job.
 */
export type Kept = {
  readonly path: (name: string) => string;
  /** `make` writes it to the path that it gets; under its name it appears when that has succeeded. */
  put(name: string, make: (path: string) => Promise<void>): Promise<void>;
  has(name: string): Promise<boolean>;
  /** null when it is not there. */
  read(name: string): Promise<string | null>;
};

/** Things made of something else than `origin` says, such as by an older release, are not seen. */
export const openKept = async (folder: string, origin: unknown): Promise<Kept> => {
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

const unlessGone = async <T>(found: Promise<T>): Promise<T | null> => {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
};

/** So that a name never outlives what it names, not even when the power fails. */
const flush = async (path: string): Promise<void> => {
  const file = await open(path, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
};
