import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, link, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { Failure } from '../errors.ts';
import { diskFailure } from './disk-failure.ts';
import { openSpace } from './space.ts';
import type { StoredFile } from './stored-file.ts';
import { unlessGone } from './unless-gone.ts';

/** What a file holds. */
type Content = Omit<StoredFile, 'path'>;
export type OpenResult = {
  readonly bytes: number;
  /** Both ends included. */
  read(range?: { start: number; end: number }): Readable;
};
/** A place for media. On this disk now; paths are only handed out for files that a local program works on. */
export type Files = Awaited<ReturnType<typeof openFiles>>;

const FOLDERS = ['incoming', 'uploads', 'inputs', 'attempts', 'results'] as const;
type Folder = (typeof FOLDERS)[number];

/** How long a file may lie where only a job not yet recorded can need it. */
const PASSING_MS = 3600_000;
/**
 * After this long without a change what arrives belongs to a process that died: a body or a fetch that is silent is
 * given up after a minute at most, and what has come is probed and moved within minutes.
 */
const ARRIVING_MS = 20 * 60_000;

/**
 *   incoming/<random>               arriving, or borrowed for one request; the request removes it
 *   uploads/<upload id>             until it expires
 *   inputs/<job id>                 its picture or clip, until the job ends
 *   inputs/<job id>.<role>          another input of it, as `audio`
 *   attempts/<job id>.<fence>.<ext> being written
 *   attempts/<job id>.work          what one attempt leaves to the next, a folder
 *   results/<job id>.<fence>.<ext>  whole, for as long as results are kept
 * What a crash leaves is found by `sweep`. Nobody but the owner may look into the folders. What is kept is on the
 * disk, and under its name, when the call that keeps it returns.
 */
export const openFiles = async (dir: string, { reserveBytes = 0 } = {}) => {
  const at = (folder: Folder, name = '') => join(dir, folder, name);
  for (const folder of FOLDERS) {
    await mkdir(at(folder), { recursive: true, mode: 0o700 });
    // One that an older release made is open to all.
    await chmod(at(folder), 0o700);
  }
  // Tried again: a file may appear in a folder while that is emptied.
  const remove = (path: string) => rm(path, { force: true, recursive: true, maxRetries: 3 });
  const inputPath = (jobId: string, role = 'media'): string =>
    at('inputs', role === 'media' ? jobId : `${jobId}.${role}`);
  /** Whatever lies in the folder under the job's id. */
  const removeAllOf = async (folder: Folder, jobId: string): Promise<void> => {
    for (const name of await readdir(at(folder))) {
      if (jobOf(name) === jobId) await remove(at(folder, name));
    }
  };
  const removeInputs = (jobId: string): Promise<void> => removeAllOf('inputs', jobId);

  return {
    space: openSpace(dir, reserveBytes),
    /** A fresh path for what arrives, a file or a folder of files. */
    temporary: (): string => at('incoming', randomUUID()),
    remove,

    /** Failure storage_full | storage_failed, also when fewer than `bytes` are there. */
    keepUpload: async (path: string, id: string, bytes: number): Promise<void> => {
      await touch(path);
      await keep(path, at('uploads', id), bytes);
    },
    removeUpload: (id: string) => remove(at('uploads', id)),
    /** A link to an upload at a path of its own, so that it may expire meanwhile; null when its file is gone. */
    borrowUpload: async (id: string): Promise<string | null> => {
      const path = at('incoming', randomUUID());
      return unlessGone(link(at('uploads', id), path).then(() => path));
    },

    /**
     * Keeps one input of a job until the job ends. `role` is what the operation calls it: 'media' for the picture or
     * clip itself, 'audio' or any other word without a dot for what goes with it. Failure storage_full | storage_failed.
     */
    keepInput: (path: string, jobId: string, role = 'media'): Promise<void> =>
      keep(path, inputPath(jobId, role)),
    inputPath,
    removeInputs,
    attemptPath: (name: string): string => at('attempts', name),
    workPath: (jobId: string): string => at('attempts', `${jobId}.work`),

    /** Hashes what an attempt wrote and moves it in place, whole. Failure storage_failed. */
    keepResult: async (name: string): Promise<Content> => {
      try {
        const kept = await hashed(at('attempts', name));
        await touch(at('attempts', name));
        await keep(at('attempts', name), at('results', name), kept.bytes);
        return kept;
      } catch (cause) {
        if (cause instanceof Failure) throw cause;
        throw new Failure('storage_failed', { reason: codeOf(cause) ?? 'unknown' }, { cause });
      }
    },
    hasResult: async (name: string): Promise<boolean> =>
      (await sizeOf(at('results', name))) !== null,
    /** Failure result_expired when it is gone. */
    openResult: async (name: string): Promise<OpenResult> => {
      const bytes = await sizeOf(at('results', name));
      if (bytes === null) throw new Failure('result_expired');
      return { bytes, read: (range) => createReadStream(at('results', name), range) };
    },
    removeResult: (name: string) => remove(at('results', name)),

    /** Its inputs and whatever its attempts wrote, but not its result. */
    removeJob: async (jobId: string): Promise<void> => {
      await removeInputs(jobId);
      await removeAllOf('attempts', jobId);
    },

    /** Removes what expired, and what a crash left behind; `isUnfinished` tells of a job. */
    sweep: async (
      ttlMs: number,
      isUnfinished: (jobId: string) => Promise<boolean>,
      now = Date.now(),
    ) => {
      const each = async (folder: Folder, isOver: (name: string, age: Age) => Promise<boolean>) => {
        for (const name of await readdir(at(folder))) {
          const age = await ageOf(at(folder, name), now);
          if (age !== null && (await isOver(name, age))) await remove(at(folder, name));
        }
      };
      const orphaned = async (name: string, { changedMs }: Age) =>
        changedMs > PASSING_MS && !(await isUnfinished(jobOf(name)));
      await each('incoming', async (name) => {
        const changedMs = await quietMs(at('incoming', name), now);
        return changedMs !== null && changedMs > ARRIVING_MS;
      });
      await each('uploads', async (_, { keptMs }) => keptMs > ttlMs);
      await each('results', async (_, { keptMs }) => keptMs > ttlMs + PASSING_MS);
      await each('inputs', orphaned);
      await each('attempts', orphaned);
    },
  };
};

/** Since it was kept (its times were set), and since anything at all happened to it, linking included. */
type Age = { readonly keptMs: number; readonly changedMs: number };

const ageOf = async (path: string, now: number): Promise<Age | null> => {
  const found = await unlessGone(stat(path));
  return found && { keptMs: now - found.mtimeMs, changedMs: now - found.ctimeMs };
};

/** Since anything happened to a file, or to a folder or any file in it. */
const quietMs = async (path: string, now: number): Promise<number | null> => {
  const found = await unlessGone(stat(path));
  if (!found) return null;
  const inside = found.isDirectory() ? ((await unlessGone(readdir(path))) ?? []) : [];
  const ages = await Promise.all(inside.map((name) => ageOf(join(path, name), now)));
  return Math.min(now - found.ctimeMs, ...ages.flatMap((age) => (age ? [age.changedMs] : [])));
};

/**
 * Moves a file to its place so that it survives a power cut under its new name. Failure storage_full | storage_failed,
 * also for a file that is not as long as was told.
 */
const keep = async (path: string, target: string, bytes?: number): Promise<void> => {
  try {
    const { size } = await flush(path);
    if (bytes !== undefined && size !== bytes) {
      const reason = `expected ${bytes} bytes on the disk; ${size} are there`;
      throw new Failure('storage_failed', { reason });
    }
    await rename(path, target);
    await flush(dirname(target));
  } catch (error) {
    throw diskFailure(error) ?? error;
  }
};

/** A file's content, or the names in a folder, are on the disk then. */
const flush = async (path: string) => {
  const file = await open(path, 'r');
  try {
    await file.sync();
    return await file.stat();
  } finally {
    await file.close();
  }
};

const sizeOf = async (path: string): Promise<number | null> => {
  const found = await unlessGone(stat(path));
  return found?.size ?? null;
};

const jobOf = (name: string): string => name.split('.', 1)[0] ?? name;

const touch = async (path: string): Promise<void> => {
  const now = new Date();
  await utimes(path, now, now);
};

const hashed = async (path: string): Promise<Content> => {
  const file = await open(path, 'r');
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
};

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
