/** Images as a row of parts: the chunks of a PNG or WebP, the segments of a JPEG, the boxes of an AVIF. */
import { type FileWindow, openFileWindow } from '../file-window.ts';
import { boxBytes } from '../iso-box.ts';
import { CUT_OFF } from '../outcome.ts';
import { stepOf } from './jpeg-step.ts';

/**
 * A picture of 50 MB in chunks of 8 KB has 6,400. The libraries take 5 s and 0.8 GB for 4 million texts in a PNG, 1.2 GB
 * for 12 million EXIF segments in a JPEG, 17 s for 6 million boxes in an AVIF; for this many, 0.03 s to 0.3 s.
 */
const MOST_PARTS = 100_000;
/**
 * Encoders write progressive JPEG in about 12 scans. The format permits 2,646, each of which goes over the whole picture:
 * 158 s for a file of 0.6 MB, and libjpeg cannot be stopped meanwhile.
 */
const MOST_SCANS = 100;
/** 16 tell of any part what it is, and 25 of a JPEG's table its step. */
const HEAD_BYTES = 32;

/** How the parts of a format follow each other. */
type PartFormat = {
  /** Where the first part begins. */
  readonly start: number;
  /** Where the part behind this one begins; null: there is none, or the rest is left to the decoder. */
  readonly next: (head: Buffer, at: number, file: FileWindow) => number | null | Promise<number>;
  /** Whether a part is a pass over all pixels. */
  readonly isScan?: (head: Buffer) => boolean;
  /** Whether a part holds the codes of pixels, in a format that loses some of them. */
  readonly isLossy?: (head: Buffer) => boolean;
  /** The levels by which low frequencies are rounded, where a part says so; else 0. */
  readonly step?: (head: Buffer) => number;
};

/** What an image lost when it was stored, as far as its parts tell. 0: nothing, or another format. */
type Loss = {
  /** How many bytes a lossy WebP or an AVIF takes for its pixels. */
  readonly bytes: number;
  /** The levels by which a JPEG rounded low frequencies, 13.2 at quality 50. */
  readonly step: number;
};

/** A part begins at `at` with the bytes of `head`; beyond the end of the file these are 0. */
type ImagePart = { readonly at: number; readonly head: Buffer };

/**
 * What an image lost. Throws when it has more parts or scans than any that an encoder writes, and when a PNG is cut off.
 * Whether the parts are sound is for the decoder to find out.
 */
export const checkImageParts = async (path: string): Promise<Loss> => {
  const file = await openFileWindow(path);
  try {
    const format = formatOf(await headAt(file, 0));
    let [parts, scans, bytes, step] = [0, 0, 0, 0];
    let last = '';
    for await (const { at, head } of partsOf(file, format)) {
      parts += 1;
      last = pngType(head);
      if (format.isScan?.(head)) scans += 1;
      if (parts > MOST_PARTS)
        throw new Error(`it has more than ${MOST_PARTS} chunks, segments or boxes`);
      if (scans > MOST_SCANS) throw new Error(`it has more than ${MOST_SCANS} scans`);
      if (format.isLossy?.(head)) {
        const next = (await format.next(head, at, file)) ?? file.size;
        bytes += Math.min(next, file.size) - at;
      }
      step = format.step?.(head) || step;
    }
    if (format === png && last !== 'IEND') throw new Error(CUT_OFF);
    return { bytes, step };
  } finally {
    await file.close();
  }
};

/** The chunks of a PNG, up to IEND where there is one: length, type, data, checksum. */
export async function* pngChunks(file: FileWindow) {
  for await (const { at, head } of partsOf(file, png))
    yield { at, type: pngType(head), bytes: head.readUInt32BE(0) };
}

async function* partsOf(file: FileWindow, format: PartFormat): AsyncGenerator<ImagePart> {
  for (let at: number | null = format.start; at !== null && at + 4 <= file.size; ) {
    const head = await headAt(file, at);
    yield { at, head };
    at = await format.next(head, at, file);
  }
}

const headAt = async (file: FileWindow, at: number): Promise<Buffer> => {
  const bytes = await file.read(at, Math.min(HEAD_BYTES, file.size - at));
  // A copy: the window's memory may be overwritten before the head has been used.
  return Buffer.concat([bytes], HEAD_BYTES);
};

const formatOf = (head: Buffer): PartFormat => {
  if (head.readUInt32BE(0) === 0x8950_4e47) return png;
  if (head.readUInt16BE(0) === 0xffd8) return jpeg;
  if (head.toString('latin1', 0, 4) === 'RIFF') return webp;
  return head.toString('latin1', 4, 8) === 'ftyp' ? avif : other;
};

const pngType = (head: Buffer): string => head.toString('latin1', 4, 8);
const png: PartFormat = {
  start: 8,
  next: (head, at) => (pngType(head) === 'IEND' ? null : at + 12 + head.readUInt32BE(0)),
};

/**
 * 0xff, marker, and a length that counts itself. Before a marker there may be any number of 0xff, and other bytes, which
 * libjpeg skips: they must hide no segment from this check.
 */
const jpeg: PartFormat = {
  start: 2,
  next: (head, at, file) => {
    const [first, marker] = [head.readUInt8(0), head.readUInt8(1)];
    if (first !== 0xff) return nextMarker(file, at);
    if (marker === END_OF_IMAGE) return null;
    if (marker === 0xff) return at + 1;
    if (isBare(marker)) return at + 2;
    const end = at + 2 + head.readUInt16BE(2);
    return marker === START_OF_SCAN ? nextMarker(file, end) : end;
  },
  isScan: (head) => head.readUInt16BE(0) === 0xff00 + START_OF_SCAN,
  step: stepOf,
};
/** Markers without a length: 0 is not a marker, 1 is obsolete, restarts and the start of an image. */
const isBare = (marker: number): boolean => marker <= 1 || (marker >= 0xd0 && marker <= 0xd8);
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;
const PIECE_BYTES = 32 * 1024;

/** Where the next marker is: among the codes of pixels 0xff is followed by 0 or by the number of a restart, 0xd0 to 0xd7. */
const nextMarker = async (file: FileWindow, from: number): Promise<number> => {
  for (let at = from; at + 1 < file.size; at += PIECE_BYTES - 1) {
    const piece = await file.read(at, Math.min(PIECE_BYTES, file.size - at));
    for (let i = 0; i + 1 < piece.length; i += 1) {
      if (piece[i] !== 0xff) continue;
      const code = piece[i + 1] ?? 0;
      if (code !== 0 && (code < 0xd0 || code > 0xd7)) return at + i;
    }
  }
  return file.size;
};

/** Type, length, data, padded to an even length. */
const webp: PartFormat = {
  start: 12,
  next: (head, at) => {
    const length = head.readUInt32LE(4);
    return at + 8 + length + (length % 2);
  },
  isLossy: (head) => head.toString('latin1', 0, 4) === 'VP8 ',
};

/** TIFF and GIF: `several.ts` has looked through them. */
const other: PartFormat = { start: 0, next: () => null };

const avif: PartFormat = {
  start: 0,
  next: (head, at) => {
    const length = boxBytes(head);
    return length < 8 ? null : at + length;
  },
  isLossy: (head) => head.toString('latin1', 4, 8) === 'mdat',
};
