/** Whether an image file holds more than one picture, by its structure alone: no pixel is decoded. */
import { type FileWindow, openFileWindow } from '../file-window.ts';

/** Blocks of a GIF: the pictures of one seldom have more than three each. More than that is no single picture. */
const MOST_BLOCKS = 100_000;
const PIECE_BYTES = 32 * 1024;

/** Of a GIF: animation; of a TIFF: pages. Where the structure is broken the answer is no, and the decoder finds out. */
export const hasSeveral = async (path: string, mime: string): Promise<boolean> => {
  const count = counters[mime];
  if (!count) return false;
  const file = await openFileWindow(path);
  try {
    return await count(file);
  } finally {
    await file.close();
  }
};

/** GIF89a: a header, then blocks; a picture is a descriptor, perhaps a palette, and its data in sub-blocks. */
const severalInGif = async (file: FileWindow): Promise<boolean> => {
  let at = 13 + paletteBytes(await byteAt(file, 10));
  let pictures = 0;
  for (let blocks = 0; at < file.size; blocks += 1) {
    if (blocks > MOST_BLOCKS) return true;
    const kind = await byteAt(file, at);
    if (kind === EXTENSION) at = await endOfSubBlocks(file, at + 2);
    else if (kind === PICTURE) {
      pictures += 1;
      if (pictures > 1) return true;
      at = await endOfSubBlocks(file, at + 11 + paletteBytes(await byteAt(file, at + 9)));
    } else return false;
  }
  return false;
};

const EXTENSION = 0x21;
const PICTURE = 0x2c;

/** By the byte of flags that says whether there is a palette: 3 bytes for each of its colours. */
const paletteBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Each begins with its length; one of length 0 is the last. */
const endOfSubBlocks = async (file: FileWindow, from: number): Promise<number> => {
  let at = from;
  while (at < file.size) {
    const piece = await file.read(at, Math.min(PIECE_BYTES, file.size - at));
    let next = 0;
    for (let length = piece[0]; length !== undefined; length = piece[next]) {
      next += 1 + length;
      if (length === 0) return at + next;
    }
    at += next;
  }
  return file.size;
};

/** TIFF 6.0, and BigTIFF, whose numbers are longer: the header leads to the first directory, each directory to the next one. */
const severalInTiff = async (file: FileWindow): Promise<boolean> => {
  const little = (await byteAt(file, 0)) === 0x49;
  const number = async (at: number, bytes: 2 | 4 | 8): Promise<number> => {
    if (at + bytes > file.size) return 0;
    const read = await file.read(at, bytes);
    // Of 8 bytes Node reads 6 as one number: no file is so large that the others say anything.
    const used = Math.min(bytes, 6);
    return little ? read.readUIntLE(0, used) : read.readUIntBE(bytes - used, used);
  };
  const { start, offset, count, entry } = (await number(2, 2)) === BIG ? bigTiff : tiff;
  const first = await number(start, offset);
  const entries = await number(first, count);
  return (await number(first + count + entry * entries, offset)) !== 0;
};

const BIG = 43;
/** Where the offset of the first directory is; bytes of an offset, of a directory's number of entries, and of an entry. */
const tiff = { start: 4, offset: 4, count: 2, entry: 12 } as const;
const bigTiff = { start: 8, offset: 8, count: 8, entry: 20 } as const;

/** 0 beyond the end of the file. */
const byteAt = async (file: FileWindow, at: number): Promise<number> =>
  at < file.size ? ((await file.read(at, 1))[0] ?? 0) : 0;

const counters: Readonly<Record<string, (file: FileWindow) => Promise<boolean>>> = {
  'image/gif': severalInGif,
  'image/tiff': severalInTiff,
};
