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

/** What is known of a file's content. */
type Content = Omit<StoredFile, 'path'>;
export type OpenResult = {
  readonly bytes: number;
  /** `start` and `end` are byte offsets, both included. */
  read(range?: { start: number; end: number }): Readable;
};
/**
 * The storage of media, on the local disk. Paths are handed out only for files that ffmpeg, ffprobe or libvips work
 * on.
 */
export type Files = Awaited<ReturnType<typeof openFiles>>;

const FOLDERS = ['incoming', 'uploads', 'inputs', 'attempts', 'results'] as const;
type Folder = (typeof FOLDERS)[number];

/** How long a file is kept that may belong to a job whose record is about to be written. */
const PASSING_MS = 3600_000;
/**
 * After this long without a change an arriving file belongs to a process that died: a body or a fetch without progress
 * is given up after a minute at most, and a complete file is probed and moved within minutes.
 */
const ARRIVING_MS = 20 * 60_000;

/**
 *   incoming/<random>               arriving, or a link to an upload, for one request, which removes it
 *   uploads/<upload id>             until it expires
 *   inputs/<job id>                 the picture or clip of a job, until the job ends
 *   inputs/<job id>.<role>          another input of it, such as `audio`
 *   attempts/<job id>.<fence>.<ext> a result that is being written
 *   attempts/<job id>.work          folder: what one attempt leaves for the next
 *   results/<job id>.<fence>.<ext>  a complete result, until it expires
 * `sweep` removes what a crash left behind. The folders are readable by their owner only. When a call that keeps a file
 * returns, the file and its name are flushed to the disk.
 */
export const openFiles = async (dir: string, { reserveBytes = 0 } = {}) => {
  const at = (folder: Folder, name = '') => join(dir, folder, name);
  for (const folder of FOLDERS) {
    await mkdir(at(folder), { recursive: true, mode: 0o700 });
    // Older versions made the folders readable by all users.
    await chmod(at(folder), 0o700);
  }
  // Retried, as a file may be created in a folder while it is being removed.
  const remove = (path: string) => rm(path, { force: true, recursive: true, maxRetries: 3 });
  const inputPath = (jobId: string, role = 'media'): string =>
    at('inputs', role === 'media' ? jobId : `${jobId}.${role}`);
  /** Removes all files of a job from the folder. */
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
    /** A hard link to an upload at a new path, which stays when the upload expires; null when its file is gone. */
    borrowUpload: async (id: string): Promise<string | null> => {
      const path = at('incoming', randomUUID());
      return unlessGone(link(at('uploads', id), path).then(() => path));
    },

    /**
     * Keeps one input of a job until the job ends. `role` is the operation's name for it: 'media' is the picture or
     * clip, 'audio' or any other name without a dot is a further input. Failure storage_full | storage_failed.
     */
    keepInput: (path: string, jobId: string, role = 'media'): Promise<void> =>
      keep(path, inputPath(jobId, role)),
    inputPath,
    removeInputs,
    attemptPath: (name: string): string => at('attempts', name),
    workPath: (jobId: string): string => at('attempts', `${jobId}.work`),

    /** Hashes the file that an attempt wrote and moves it to the results. Failure storage_full | storage_failed. */
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

    /** Removes the inputs of a job and all that its attempts wrote, except for its result. */
    removeJob: async (jobId: string): Promise<void> => {
      await removeInputs(jobId);
      await removeAllOf('attempts', jobId);
    },

    /** Removes expired files, and files that a crash left behind, of jobs that are not `isUnfinished`. */
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

/**
 * `keptMs`: since the file was kept, by its mtime. `changedMs`: since its last change of any kind, links included, by
 * its ctime.
 */
type Age = { readonly keptMs: number; readonly changedMs: number };

const ageOf = async (path: string, now: number): Promise<Age | null> => {
  const found = await unlessGone(stat(path));
  return found && { keptMs: now - found.mtimeMs, changedMs: now - found.ctimeMs };
};

/** Milliseconds since the last change of a file, or of a folder and the files in it. */
const quietMs = async (path: string, now: number): Promise<number | null> => {
  const found = await unlessGone(stat(path));
  if (!found) return null;
  const inside = found.isDirectory() ? ((await unlessGone(readdir(path))) ?? []) : [];
  const ages = await Promise.all(inside.map((name) => ageOf(join(path, name), now)));
  return Math.min(now - found.ctimeMs, ...ages.flatMap((age) => (age ? [age.changedMs] : [])));
};

/**
 * Moves a file so that it survives a power failure under its new name: its content and its new name are flushed.
 * Failure storage_full | storage_failed, also for a file that does not have `bytes` bytes.
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

/** Flushes a file's content, or the names in a folder, to the disk. */
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
