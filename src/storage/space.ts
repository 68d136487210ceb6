import { statfs } from 'node:fs/promises';
import { Failure } from '../errors.ts';

/** How long a measurement is used again, as one is asked for with every chunk that arrives. */
const FRESH_MS = 1000;

/** The disk counts as full with less than this: file systems allocate whole blocks, so even a small file may fail. */
const NOTHING_BYTES = 1024 * 1024;

/** The free space of the disk that `dir` is on. Media never uses the last `reserveBytes` of it. */
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
    /** Failure storage_full when writing `bytes` more would leave less than the reserve. */
    demand: async (bytes = 0): Promise<void> => {
      if ((await free()) - bytes < reserveBytes) throw new Failure('storage_full');
    },
    isLow: async (): Promise<boolean> => (await free()) < reserveBytes,
    /** Whether less than 1 MiB is free, measured now. */
    isFull: async (): Promise<boolean> => (await freeOf(dir)) < NOTHING_BYTES,
  };
};

/** Free bytes for a process that is not root; file systems reserve some blocks for root. */
const freeOf = async (dir: string): Promise<number> => {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
};
