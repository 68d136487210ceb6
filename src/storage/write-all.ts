import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { diskFailure } from './disk-failure.ts';
import type { StoredFile } from './stored-file.ts';

/** Called with a number of bytes before they are written; throws when there is no room for them. */
export type Admit = (bytes: number) => Promise<void>;

type How = { readonly signal?: AbortSignal; readonly admit?: Admit };

/**
 * Writes all of a caller's `chunks` into a new file at `path` that only its owner may read.
 * Failure storage_full | storage_failed when it is the disk that refuses, else what `admit` or the chunks fail with.
 */
export const writeAll = async (
  path: string,
  chunks: AsyncIterable<Buffer>,
  { signal, admit }: How = {},
): Promise<void> => {
  try {
    await writeChunks(path, admit ? admitted(chunks, admit) : chunks, signal, 0o600);
  } catch (error) {
    throw diskFailure(error) ?? error;
  }
};

/** The same, and what was written: size and hash are those of the bytes on their way to the file. */
export const writeHashed = async (
  path: string,
  chunks: AsyncIterable<Buffer>,
  how: How = {},
): Promise<StoredFile> => {
  const hash = createHash('sha256');
  let bytes = 0;
  const hashed = async function* () {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  await writeAll(path, hashed(), how);
  return { path, bytes, sha256: hash.digest('hex') };
};

/**
 * Writes all of `chunks` into a new file at `path`. When this is settled, well or badly, the file is closed:
 * before that it may still be about to be created, and could not be removed.
 */
export const writeChunks = async (
  path: string,
  chunks: AsyncIterable<Buffer>,
  signal?: AbortSignal,
  mode = 0o666,
): Promise<void> => {
  const file = createWriteStream(path, { mode });
  try {
    await pipeline(chunks, file, { ...(signal && { signal }) });
  } finally {
    if (!file.closed) await once(file, 'close');
  }
};

async function* admitted(chunks: AsyncIterable<Buffer>, admit: Admit): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    await admit(chunk.length);
    yield chunk;
  }
}
