/** Whether an image file holds more than one picture, by its structure alone: no pixel is decoded. */
import { type FileWindow, openFileWindow } from '../file-window.ts';
import { severalInTiff } from './tiff.ts';

/** Blocks of a GIF: the pictures of one seldom have more than three each. More than that is no single picture. */
const MOST_BLOCKS = 100_000;
const PIECE_BYTES = 32 * 1024;

/** Whether a GIF is animated, or a TIFF has several pages. Where the structure is broken: no, and the decoder finds out. */
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

/** Bytes of the palette, if the flags say that there is one: 3 for each of its colours. */
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

/** 0 beyond the end of the file. */
const byteAt = async (file: FileWindow, at: number): Promise<number> =>
  at < file.size ? ((await file.read(at, 1))[0] ?? 0) : 0;

const counters: Readonly<Record<string, (file: FileWindow) => Promise<boolean>>> = {
  'image/gif': severalInGif,
  'image/tiff': severalInTiff,
};
