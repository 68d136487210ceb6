import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { writeChunks } from '../storage/write-all.ts';

/**
 * Writes an answer into a file of its own beside `target` and renames it: a broken download leaves no file, and two
 * downloads to one target do not mix.
 */
export const saveAs = async (
  target: string,
  answer: Response,
  signal: AbortSignal,
): Promise<void> => {
  const partial = join(dirname(target), `.enhance-${randomUUID()}.part`);
  try {
    const body = answer.body ? Readable.fromWeb(answer.body) : Readable.from([]);
    await writeChunks(partial, body, signal);
    await rename(partial, target);
  } finally {
    await rm(partial, { force: true });
  }
};
