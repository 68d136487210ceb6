import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Content } from './store.ts';

const PIECE_BYTES = 1024 * 1024;

/** Size and SHA-256 of a file, read once from its start to its end. */
export const hashed = async (path: string): Promise<Content> => {
  const file = await open(path, 'r');
  try {
    const hash = createHash('sha256');
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    let bytes = 0;
    for (;;) {
      // A stream would take longer for a small picture than the hash does.
      const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, bytes);
      if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
      hash.update(piece.subarray(0, bytesRead));
      bytes += bytesRead;
    }
  } finally {
    await file.close();
  }
};
