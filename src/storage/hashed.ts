import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Content } from './store.ts';

const PIECE_BYTES = 1024 * 1024;

/** Size and SHA-256 of a file, read once from its start to its end. */
export const hashed = async (path: string): Promise<Content> => {
  const file = await open(path, 'r');
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of file.createReadStream({
      autoClose: false,
      highWaterMark: PIECE_BYTES,
    })) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
};
