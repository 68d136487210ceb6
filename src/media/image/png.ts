import { crc32 } from 'node:zlib';
import { openWindow, type Window } from '../probe/window.ts';

const SIGNATURE_BYTES = 8;
const PIECE_BYTES = 64 * 1024;
const critical = ['IHDR', 'PLTE', 'IDAT', 'IEND'];

/** Throws when a PNG is cut off or a part of it that matters is damaged: libpng lets both pass in an interlaced picture. */
export const checkPng = async (path: string): Promise<void> => {
  const window = await openWindow(path);
  try {
    let [at, type] = [SIGNATURE_BYTES, ''];
    while (type !== 'IEND') {
      // A chunk: length, type, data, checksum of type and data.
      const head = await window.read(at, 8);
      const length = head.readUInt32BE(0);
      type = head.toString('latin1', 4, 8);
      const end = at + 8 + length;
      if (critical.includes(type)) {
        const sum = await sumOf(window, at + 4, end);
        const told = (await window.read(end, 4)).readUInt32BE(0);
        if (sum !== told) throw new Error(`its ${type} is damaged`);
      }
      at = end + 4;
    }
  } finally {
    await window.close();
  }
};

/** Piece by piece: a chunk may be as long as the file. */
const sumOf = async (window: Window, from: number, to: number): Promise<number> => {
  let sum = 0;
  for (let at = from; at < to; at += PIECE_BYTES)
    sum = crc32(await window.read(at, Math.min(PIECE_BYTES, to - at)), sum);
  return sum;
};
