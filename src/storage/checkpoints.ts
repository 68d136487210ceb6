import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../errors.ts';
import { unlessGone } from './unless-gone.ts';

/** Where a job's checkpoints are. */
export type CheckpointPlace = {
  /** A folder of this machine. */
  readonly folder: string;
  /** What carries them to other attempts; without it they are only in the folder. */
  readonly shared?: SharedCheckpoints | undefined;
};

type SharedCheckpoints = {
  /** Keeps a copy of a local file. */
  put(name: string, path: string): Promise<void>;
  has(name: string): Promise<boolean>;
  /** A local copy at a path that does not exist yet; false when there is none. */
  fetch(name: string, path: string): Promise<boolean>;
};

/**
 * Files that an attempt leaves for the next attempt of the same job, whichever worker runs it. A checkpoint is there whole or
 * not at all. Two attempts may overlap for a moment; then both write the same content. All are removed with the job.
 */
export type Checkpoints = {
  /** `make` writes to the path that it is given; the file gets its name when `make` has succeeded. */
  put(name: string, make: (path: string) => Promise<void>): Promise<void>;
  has(name: string): Promise<boolean>;
  /** Its local path. Failure storage_failed when it is not there. */
  fetch(name: string): Promise<string>;
  /** Its text; null when it is not there. */
  read(name: string): Promise<string | null>;
};

/** `origin` is all that the checkpoints depend on: those of another origin, such as an older model release, are not seen. */
export const openCheckpoints = async (
  { folder, shared }: CheckpointPlace,
  origin: unknown,
): Promise<Checkpoints> => {
  const mark = createHash('sha256').update(JSON.stringify(origin)).digest('hex').slice(0, 16);
  const dir = join(folder, mark);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const isHere = async (path: string) => (await unlessGone(stat(path))) !== null;
  const unfinishedOf = (name: string) => join(dir, `${name}.${randomUUID()}.part`);

  /** Null when there is none. */
  const find = async (name: string): Promise<string | null> => {
    const path = join(dir, name);
    if (await isHere(path)) return path;
    const unfinished = unfinishedOf(name);
    try {
      if (!(await shared?.fetch(`${mark}.${name}`, unfinished))) return null;
      await rename(unfinished, path);
      return path;
    } finally {
      await rm(unfinished, { force: true });
    }
  };

  return {
    put: async (name, make) => {
      const unfinished = unfinishedOf(name);
      try {
        await make(unfinished);
        await flush(unfinished);
        // Shared before it has its local name: what is found in the folder need not be looked for elsewhere.
        await shared?.put(`${mark}.${name}`, unfinished);
        await rename(unfinished, join(dir, name));
      } finally {
        await rm(unfinished, { force: true });
      }
    },
    has: async (name) =>
      (await isHere(join(dir, name))) || ((await shared?.has(`${mark}.${name}`)) ?? false),
    fetch: async (name) => {
      const path = await find(name);
      if (path !== null) return path;
      throw new Failure('storage_failed', { reason: `the checkpoint ${name} is gone` });
    },
    read: async (name) => {
      const path = await find(name);
      return path && readFile(path, 'utf8');
    },
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
