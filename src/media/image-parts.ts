import { openWindow, type Window } from './window.ts';

/**
 * A picture of 50 MB in chunks of 8 KB has 6,400. The libraries take 5 s and 0.8 GB for 4 million texts in a PNG, 1.2 GB
 * for 12 million EXIF segments in a JPEG, 17 s for 6 million boxes in an AVIF; of this many, a thirtieth of a second to
 * a third.
 */
const MOST_PARTS = 100_000;
const HEAD_BYTES = 16;

/** Where a format's parts begin, and where the next one does; null: there is none, or the rest is the decoder's. */
type Format = {
  readonly start: number;
  readonly next: (head: Buffer, at: number) => number | null;
};

/**
 * Throws when a picture has more parts (chunks, segments, boxes) than any sane one. Whether they are sound is for the
 * decoder to say.
 */
export const checkImageParts = async (path: string): Promise<void> => {
  const window = await openWindow(path);
  try {
    const format = formatOf(await headAt(window, 0));
    let parts = 0;
    for (let at: number | null = format.start; at !== null && at + 8 <= window.size; parts += 1) {
      if (parts === MOST_PARTS) throw new Error(`it has more than ${MOST_PARTS} parts`);
      at = format.next(await headAt(window, at), at);
    }
  } finally {
    await window.close();
  }
};

/** Filled with zeros beyond the end of the file. */
const headAt = async (window: Window, at: number): Promise<Buffer> => {
  const bytes = await window.read(at, Math.min(HEAD_BYTES, window.size - at));
  return bytes.length === HEAD_BYTES ? bytes : Buffer.concat([bytes], HEAD_BYTES);
};

const formatOf = (head: Buffer): Format => {
  if (head.readUInt32BE(0) === 0x8950_4e47) return png;
  if (head.readUInt16BE(0) === 0xffd8) return jpeg;
  return head.toString('latin1', 0, 4) === 'RIFF' ? webp : avif;
};

/** Length, type, data, checksum. */
const png: Format = {
  start: 8,
  next: (head, at) =>
    head.toString('latin1', 4, 8) === 'IEND' ? null : at + 12 + head.readUInt32BE(0),
};

/** Up to the pixels: 0xff, marker, and a length that counts itself. Before a marker there may be any number of 0xff. */
const jpeg: Format = {
  start: 2,
  next: (head, at) => {
    const [first, marker] = [head.readUInt8(0), head.readUInt8(1)];
    if (first !== 0xff || marker === START_OF_SCAN || marker === END_OF_IMAGE) return null;
    return marker === 0xff ? at + 1 : at + 2 + head.readUInt16BE(2);
  },
};
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** Type, length, data, which are filled up to an even length. */
const webp: Format = {
  start: 12,
  next: (head, at) => {
    const length = head.readUInt32LE(4);
    return at + 8 + length + (length % 2);
  },
};

/** Boxes: a length that counts itself, 1 for one of 64 bits behind the type, 0 for all that follows. */
const avif: Format = {
  start: 0,
  next: (head, at) => {
    const short = head.readUInt32BE(0);
    const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
    return length < 8 ? null : at + length;
  },
};
