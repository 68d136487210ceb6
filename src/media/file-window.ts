import { open } from 'node:fs/promises';
import { CUT_OFF } from './outcome.ts';

/** Read at a time: neighbouring small pieces then cost one system call together. */
const WINDOW_BYTES = 64 * 1024;

/** A file that is read in small pieces. */
export type FileWindow = {
  /** Bytes of the whole file. */
  readonly size: number;
  /** The bytes from `at` on, at most 64 KiB; the next call overwrites them. Throws where the file ends before. */
  read(at: number, bytes: number): Promise<Buffer>;
  close(): Promise<void>;
};

export const openFileWindow = async (path: string): Promise<FileWindow> => {
  const file = await open(path);
  const { size } = await file.stat();
  const memory = Buffer.alloc(WINDOW_BYTES);
  let [from, to] = [0, 0];
  const read = async (at: number, bytes: number): Promise<Buffer> => {
    if (at + bytes > size) throw new Error(CUT_OFF);
    if (at < from || at + bytes > to) {
      const { bytesRead } = await file.read(memory, 0, WINDOW_BYTES, at);
      [from, to] = [at, at + bytesRead];
      if (bytesRead < bytes) throw new Error(CUT_OFF);
    }
    return memory.subarray(at - from, at - from + bytes);
  };
  return { size, read, close: () => file.close() };
};
