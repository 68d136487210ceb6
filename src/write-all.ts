import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { diskFailure } from './disk-failure.ts';

/**
 * Writes all of `chunks` into a new file at `path` that only its owner may read. When this is settled, well or badly,
 * the file is closed: before that it may still be about to be created, and could not be removed.
 * Failure storage_full | storage_failed when it is the disk that refuses, else what the chunks fail with.
 */
export const writeAll = async (
  path: string,
  chunks: AsyncIterable<Buffer>,
  signal?: AbortSignal,
): Promise<void> => {
  const file = createWriteStream(path, { mode: 0o600 });
  try {
    await pipeline(chunks, file, { ...(signal && { signal }) });
  } catch (error) {
    throw diskFailure(error) ?? error;
  } finally {
    if (!file.closed) await once(file, 'close');
  }
};
