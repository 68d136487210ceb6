import { crc32 } from 'node:zlib';
import { type FileWindow, openFileWindow } from '../file-window.ts';
import { CUT_OFF } from '../outcome.ts';
import { pngChunks } from './image-parts.ts';

const PIECE_BYTES = 64 * 1024;
/** The chunks without which there is no picture; any other may be damaged. */
const critical = ['IHDR', 'PLTE', 'IDAT', 'IEND'];

/** Throws when a PNG is cut off or a critical chunk is damaged: libpng accepts both in an interlaced picture. */
export const checkPng = async (path: string): Promise<void> => {
  const file = await openFileWindow(path);
  try {
    let last = '';
    for await (const { at, type, bytes } of pngChunks(file)) {
      last = type;
      if (critical.includes(type)) await checkSum(file, { at, type, bytes });
    }
    if (last !== 'IEND') throw new Error(CUT_OFF);
  } finally {
    await file.close();
  }
};

type Chunk = { readonly at: number; readonly type: string; readonly bytes: number };

/** The checksum behind the data is the CRC of type and data. */
const checkSum = async (file: FileWindow, { at, type, bytes }: Chunk): Promise<void> => {
  const end = at + 8 + bytes;
  const sum = await crcOf(file, at + 4, end);
  const stated = (await file.read(end, 4)).readUInt32BE(0);
  if (sum !== stated) throw new Error(`its chunk ${type} is damaged`);
};

/** Piece by piece: a chunk may be as long as the file. */
const crcOf = async (file: FileWindow, from: number, to: number): Promise<number> => {
  let sum = 0;
  for (let at = from; at < to; at += PIECE_BYTES)
    sum = crc32(await file.read(at, Math.min(PIECE_BYTES, to - at)), sum);
  return sum;
};
