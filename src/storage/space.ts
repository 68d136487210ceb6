import { statfs } from 'node:fs/promises';
import { Failure } from '../errors.ts';

/** A look at the disk is as good as new for this long, so that it may be asked for with every chunk that arrives. */
const FRESH_MS = 1000;

/** With so little left even a small file may not be written, as its writer wants whole blocks. */
const NOTHING_BYTES = 1024 * 1024;

/** The free space of the disk that `dir` is on, of which `reserveBytes` are never used up for media. */
export const openSpace = (dir: string, reserveBytes: number) => {
  let looked = Number.NEGATIVE_INFINITY;
  let look: Promise<number> = Promise.resolve(0);

  const free = (): Promise<number> => {
    const now = performance.now();
    if (now - looked > FRESH_MS) {
      looked = now;
      look = freeOf(dir);
    }
    return look;
  };

  return {
    /** Failure storage_full when `bytes` more would go into the reserve. */
    demand: async (bytes = 0): Promise<void> => {
      if ((await free()) - bytes < reserveBytes) throw new Failure('storage_full');
    },
    isLow: async (): Promise<boolean> => (await free()) < reserveBytes,
    /** Whether there is nothing left at this moment. */
    isFull: async (): Promise<boolean> => (await freeOf(dir)) < NOTHING_BYTES,
  };
};

/** For those who are not root: what file systems keep for root is not ours. */
const freeOf = async (dir: string): Promise<number> => {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
};
