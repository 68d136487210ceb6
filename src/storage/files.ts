import { randomUUID } from 'node:crypto';
import { readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Config } from '../config.ts';
import { Failure } from '../errors.ts';
import { makePrivateFolder } from '../make-folder.ts';
import { openDiskStore } from './disk-store.ts';
import { hashed } from './hashed.ts';
import { inputName, openLocalCopies } from './local-copies.ts';
import { openSpace } from './space.ts';
import type { Content, Download, Range, SharedFolder, Store } from './store.ts';
import { jobOf, LOCAL_FOLDERS, type LocalFolder, sweeping } from './sweep.ts';

type OpenResult = {
  readonly bytes: number;
  /** Failure result_expired when it was removed in the meantime. */
  read(range?: Range): Promise<Readable>;
};
/** The storage of media. Paths are handed out only for local files, which ffmpeg, ffprobe and libvips work on. */
export type Files = Awaited<ReturnType<typeof openFiles>>;

/**
 * On the disk of each process, below `dir`:
 *   incoming/<random>               arriving, or a copy of an upload or a result, for one request, which removes it
 *   attempts/<job id>.<fence>.<ext> a result that is being written
 *   attempts/<job id>.<random>.local folder: copies of the job's inputs and checkpoints, for one attempt
 * In the store (decision 24), which is below `dir` too unless `s3` is set:
 *   uploads/<upload id>             until it expires
 *   inputs/<job id>                 the picture or clip of a job, until the job ends
 *   inputs/<job id>.<role>          another input of it, such as `audio`
 *   checkpoints/<job id>.<name>     what one attempt leaves for the next, until the job ends
 *   results/<job id>.<fence>.<ext>  a complete result, until it expires
 * `sweep` removes what a crash left behind. The folders are readable by their owner only. When a call that keeps a file
 * returns, the file and its name survive a power failure.
 */
export const openFiles = async (
  dir: string,
  { reserveBytes = 0, s3 = null }: { reserveBytes?: number; s3?: Config['files']['s3'] } = {},
) => {
  const at = (folder: LocalFolder, name = '') => join(dir, folder, name);
  for (const folder of LOCAL_FOLDERS) await makePrivateFolder(at(folder));
  const store = s3 ? await openS3(s3) : await openDiskStore(dir, at('incoming'));
  const space = openSpace(dir, reserveBytes);
  const admit = space.demand;
  // Retried, as a file may be created in a folder while it is being removed.
  const remove = (path: string) => rm(path, { force: true, recursive: true, maxRetries: 3 });

  /** Removes all files of a job from a folder of the store. */
  const removeAllOf = async (folder: SharedFolder, jobId: string): Promise<void> => {
    for await (const { name } of store.list(folder, jobId)) {
      if (jobOf(name) === jobId) await store.remove(`${folder}/${name}`);
    }
  };
  const removeInputs = (jobId: string): Promise<void> => removeAllOf('inputs', jobId);

  return {
    space,
    /** A fresh path for what arrives, a file or a folder of files. */
    temporary: (): string => at('incoming', randomUUID()),
    /** Removes a local file or folder. */
    remove,

    /** Failure storage_full | storage_failed | storage_unavailable, also when fewer than `bytes` are there. */
    keepUpload: async (path: string, id: string, bytes: number): Promise<void> => {
      await touch(path);
      await store.put(`uploads/${id}`, path, { bytes });
    },
    removeUpload: (id: string) => store.remove(`uploads/${id}`),
    /** A copy of an upload at a new path, which stays when the upload expires; null when its file is gone. */
    copyUpload: async (id: string): Promise<string | null> => {
      const path = at('incoming', randomUUID());
      return (await store.fetch(`uploads/${id}`, path, { admit })) ? path : null;
    },

    /**
     * Keeps a copy of one input of a job until the job ends. `role` is the operation's name for it: 'media' is the picture
     * or clip, 'audio' or any other name without a dot is a further input. Failures as of `keepUpload`.
     */
    keepInput: (path: string, jobId: string, role = 'media'): Promise<void> =>
      store.put(`inputs/${inputName(jobId, role)}`, path),
    removeInputs,
    localCopies: (jobId: string) =>
      openLocalCopies(jobId, { store, admit, parent: at('attempts') }),
    attemptPath: (name: string): string => at('attempts', name),

    /** Hashes the file that an attempt wrote and moves it to the results. Failures as of `keepUpload`. */
    keepResult: async (name: string): Promise<Content> => {
      const path = at('attempts', name);
      try {
        await touch(path);
        const content = hashed(path);
        const [kept] = await Promise.all([content, store.put(`results/${name}`, path, content)]);
        await remove(path);
        return kept;
      } catch (cause) {
        if (cause instanceof Failure) throw cause;
        throw new Failure('storage_failed', { reason: codeOf(cause) ?? 'unknown' }, { cause });
      }
    },
    hasResult: async (name: string): Promise<boolean> =>
      (await store.size(`results/${name}`)) !== null,
    /** A copy of a result at a new path; null when it is gone. */
    copyResult: async (name: string): Promise<string | null> => {
      const path = at('incoming', randomUUID());
      return (await store.fetch(`results/${name}`, path, { admit })) ? path : null;
    },
    /** Failure result_expired when it is gone. */
    openResult: async (name: string): Promise<OpenResult> => {
      const bytes = await store.size(`results/${name}`);
      if (bytes === null) throw new Failure('result_expired');
      const read = async (range?: Range) => {
        const stream = await store.read(`results/${name}`, range);
        if (!stream) throw new Failure('result_expired');
        return stream;
      };
      return { bytes, read };
    },
    /** An address at which the store itself gives a result out; null when downloads go through this service. */
    resultLink: (name: string, download: Download) => store.link(`results/${name}`, download),
    removeResult: (name: string) => store.remove(`results/${name}`),

    /** Removes the inputs of a job and all that its attempts wrote, except for its result. */
    removeJob: async (jobId: string): Promise<void> => {
      for (const name of await readdir(at('attempts'))) {
        if (jobOf(name) === jobId) await remove(at('attempts', name));
      }
      await removeInputs(jobId);
      await removeAllOf('checkpoints', jobId);
    },

    sweep: sweeping({ store, local: at, removeLocal: remove }),
    /** Rejects when the store cannot be used now. */
    check: store.check,
    close: store.close,
  };
};

/** Loaded only where it is used: the client is large. */
const openS3 = async (settings: NonNullable<Config['files']['s3']>): Promise<Store> => {
  const { openS3Store } = await import('./s3/s3-store.ts');
  return openS3Store(settings);
};

const touch = async (path: string): Promise<void> => {
  const now = new Date();
  await utimes(path, now, now);
};

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
