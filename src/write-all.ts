import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/**
 * Writes all of `chunks` into a new file at `path`. When this is settled, well or badly, the file is closed:
 * before that it may still be about to be created, and could not be removed.
 */
export const writeAll = async (
  path: string,
  chunks: AsyncIterable<Buffer>,
  signal?: AbortSignal,
): Promise<void> => {
  const file = createWriteStream(path);
  try {
    await pipeline(chunks, file, { ...(signal && { signal }) });
  } finally {
    if (!file.closed) await once(file, 'close');
  }
};
