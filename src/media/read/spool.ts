/** Decoded pictures kept in a file: a clip that is read twice is then decoded once. */
import { open, rm, statfs } from 'node:fs/promises';
import { type Size, yuvBytes } from '../../frame.ts';

/** The pictures of a clip as `decodeSmall` keeps them, by their index. */
export type Spool = {
  /** How many pictures it holds, from the first on. */
  readonly pictures: number;
  /** A picture's 4:2:0 bytes, into memory that takes them exactly. */
  read(index: number, memory: Buffer): Promise<void>;
  close(): Promise<void>;
};

/** More is decoded twice. */
const MOST_BYTES = 1024 ** 3;
/** Times what is to be kept, that must be free: other jobs of this moment keep theirs. */
const FREE = 2;

type Room = { readonly folder: string; readonly reserveBytes: number };

/** Whether this many pictures fit into the folder: its disk has room for them beside the reserve. */
export const hasRoom = async (
  { folder, reserveBytes }: Room,
  size: Size,
  pictures: number,
): Promise<boolean> => {
  const bytes = pictures * yuvBytes(size);
  if (bytes > MOST_BYTES) return false;
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize > FREE * bytes + reserveBytes;
};

/**
 * Opens what was kept at this path, nothing where no file is, and removes its name: nothing is left on the disk once it is
 * closed, or this process has ended.
 */
export const openSpool = async (path: string, size: Size): Promise<Spool> => {
  const file = await open(path, 'a+');
  await rm(path);
  const bytes = yuvBytes(size);
  return {
    pictures: Math.floor((await file.stat()).size / bytes),
    read: async (index, memory) => {
      const { bytesRead } = await file.read(memory, 0, bytes, index * bytes);
      if (bytesRead !== bytes)
        throw new Error(`picture ${index} was kept: expected ${bytes} bytes, got ${bytesRead}`);
    },
    close: () => file.close(),
  };
};
