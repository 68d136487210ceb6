import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Content } from './store.ts';

/** Size and SHA-256 of a file, read once from its start to its end. */
export const hashed = async (path: string): Promise<Content> => {
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
