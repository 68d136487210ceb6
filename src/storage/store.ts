/**
 * Where the files are that several processes need: a folder of this machine, or a bucket of an S3 server that all machines
 * reach. ffmpeg and libvips work on local files, so a store takes copies of local files and gives local copies back.
 */
import type { Readable } from 'node:stream';
import type { StoredFile } from './stored-file.ts';
import type { Admit } from './write-all.ts';

export const SHARED_FOLDERS = ['uploads', 'inputs', 'checkpoints', 'results'] as const;
export type SharedFolder = (typeof SHARED_FOLDERS)[number];
/** Such as "inputs/<job id>". */
export type Name = `${SharedFolder}/${string}`;

/** What is known of a file's content. */
export type Content = Omit<StoredFile, 'path'>;
export type Expected = Partial<Content> | Promise<Content>;
/** Byte offsets, both included. */
export type Range = { readonly start: number; readonly end: number };

/** A file of a folder, by its name in there. Both times are Unix times in milliseconds. */
export type Entry = {
  readonly name: string;
  /** When it was kept. */
  readonly keptAt: number;
  /** When it was kept, linked or unlinked; the same as `keptAt` where the store does not know. */
  readonly changedAt: number;
};

/** What a download that bypasses this service is to look like. */
export type Download = {
  /** The Content-Disposition header. */
  readonly disposition: string;
  readonly contentType: string;
  /** How long the address may be good for. */
  readonly seconds: number;
};

type Fetching = {
  readonly signal?: AbortSignal | undefined;
  /** Called with a number of bytes before anything is written; throws when the disk has no room for them. */
  readonly admit: Admit;
};

/** The failures of every call: storage_full | storage_failed | storage_unavailable. */
export type Store = {
  /**
   * Keeps a copy of a local file. When this returns, the copy is whole and survives a power failure; until then nothing sees
   * any of it. `expected` is what the file must have, as far as it is known; it may be found out meanwhile.
   */
  put(name: Name, path: string, expected?: Expected): Promise<void>;
  /** A local copy at a path that does not exist yet, checked against what was kept; false when it is gone. */
  fetch(name: Name, path: string, how: Fetching): Promise<boolean>;
  /** Its size in bytes; null when it is gone. */
  size(name: Name): Promise<number | null>;
  /** Its bytes; null when it is gone. */
  read(name: Name, range?: Range): Promise<Readable | null>;
  remove(name: Name): Promise<void>;
  /** The files of a folder whose names begin with `start`. */
  list(folder: SharedFolder, start?: string): AsyncIterable<Entry>;
  /** An address under which anyone can download it for some time; null when downloads go through this service. */
  link(name: Name, download: Download): Promise<string | null>;
  /** Rejects when the store cannot be used now. */
  check(): Promise<void>;
  /** Removes what unfinished calls of processes that died have left in the store itself before the given time. */
  removeUnfinished(before: number): Promise<void>;
  close(): void;
};
