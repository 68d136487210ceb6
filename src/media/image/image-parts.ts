import { openWindow, type Window } from '../probe/window.ts';

/**
 * A picture of 50 MB in chunks of 8 KB has 6,400. The libraries take 5 s and 0.8 GB for 4 million texts in a PNG, 1.2 GB
 * for 12 million EXIF segments in a JPEG, 17 s for 6 million boxes in an AVIF; of this many, a thirtieth of a second to
 * a third.
 */
const MOST_PARTS = 100_000;
/**
 * Progressive JPEG comes in a dozen. By its rules there may be 2,646, each of which goes over the whole picture: 158 s for
 * a file of 0.6 MB, in which nothing stops libjpeg.
 */
const MOST_SCANS = 100;
const HEAD_BYTES = 16;

/** Where a format's parts begin, and where the next one does; null: there is none, or the rest is the decoder's. */
type Format = {
  readonly start: number;
  readonly next: (head: Buffer, at: number, window: Window) => number | null | Promise<number>;
  /** Whether a part is a pass over all pixels. */
  readonly isScan?: (head: Buffer) => boolean;
};

/**
 * Throws when a picture has more parts (chunks, segments, boxes) or scans than any sane one. Whether they are sound is for
 * the decoder to say.
 */
export const checkImageParts = async (path: string): Promise<void> => {
  const window = await openWindow(path);
  try {
    const format = formatOf(await headAt(window, 0));
    let [parts, scans] = [0, 0];
    for (let at: number | null = format.start; at !== null && at + 4 <= window.size; ) {
      const head = await headAt(window, at);
      parts += 1;
      if (format.isScan?.(head)) scans += 1;
      if (parts > MOST_PARTS) throw new Error(`it has more than ${MOST_PARTS} parts`);
      if (scans > MOST_SCANS) throw new Error(`it has more than ${MOST_SCANS} scans`);
      at = await format.next(head, at, window);
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

/**
 * 0xff, marker, and a length that counts itself. Before a marker there may be any number of 0xff, and bytes of any kind:
 * libjpeg goes over them, so they must hide nothing from us.
 */
const jpeg: Format = {
  start: 2,
  next: (head, at, window) => {
    const [first, marker] = [head.readUInt8(0), head.readUInt8(1)];
    if (first !== 0xff) return nextMarker(window, at);
    if (marker === END_OF_IMAGE) return null;
    if (marker === 0xff) return at + 1;
    if (isBare(marker)) return at + 2;
    const end = at + 2 + head.readUInt16BE(2);
    return marker === START_OF_SCAN ? nextMarker(window, end) : end;
  },
  isScan: (head) => head.readUInt16BE(0) === 0xff00 + START_OF_SCAN,
};
/** Markers without a length: 0 is none, 1 has no use any more, restarts and the start of an image. */
const isBare = (marker: number): boolean => marker <= 1 || (marker >= 0xd0 && marker <= 0xd8);
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;
const PIECE_BYTES = 32 * 1024;

/** Where the next marker is: among the codes of pixels 0xff is followed by 0 or by the number of a restart, 0xd0 to 0xd7. */
const nextMarker = async (window: Window, from: number): Promise<number> => {
  for (let at = from; at + 1 < window.size; at += PIECE_BYTES - 1) {
    const piece = await window.read(at, Math.min(PIECE_BYTES, window.size - at));
    for (let i = 0; i + 1 < piece.length; i += 1) {
      if (piece[i] !== 0xff) continue;
      const code = piece[i + 1] ?? 0;
      if (code !== 0 && (code < 0xd0 || code > 0xd7)) return at + i;
    }
  }
  return window.size;
};

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
