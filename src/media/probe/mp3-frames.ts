/**
 * An MP3 whose first frame is not where its tag ends: a recording of a radio that begins within a frame, zeros, or a tag of
 * another kind. Known by a row of frames, each of which begins where the one before ends (ISO 11172-3, 2.4.1.3).
 */
import { openFileWindow } from '../file-window.ts';

/** As far as frames are looked for: cut recordings have at most 1.5 kB before them, taggers fill up some kB with zeros. */
const SEARCHED_BYTES = 64 * 1024;
/** How many heads must follow each other: 4 that fit come by chance once in 10^19 bytes. */
const FRAMES = 4;

/** Whether MPEG layer III begins behind an ID3 tag, if there is one, within SEARCHED_BYTES. */
export const isMp3 = async (path: string): Promise<boolean> => {
  const file = await openFileWindow(path);
  try {
    const start = file.size < 10 ? 0 : id3Bytes(await file.read(0, 10));
    if (start + 4 > file.size) return false;
    const bytes = await file.read(start, Math.min(SEARCHED_BYTES, file.size - start));
    const last = bytes.length - FRAMES * 4;
    for (let at = bytes.indexOf(0xff); at >= 0 && at < last; at = bytes.indexOf(0xff, at + 1))
      if (isRow(bytes, at)) return true;
    return false;
  } finally {
    await file.close();
  }
};

/** The length of an ID3 tag, head included, in 4 bytes of 7 bits. */
const id3Bytes = (head: Buffer): number => {
  if (head.toString('latin1', 0, 3) !== 'ID3') return 0;
  return 10 + head.subarray(6).reduce((sum, byte) => 128 * sum + (byte & 127), 0);
};

const isRow = (bytes: Buffer, start: number): boolean => {
  let at = start;
  for (let found = 0; found < FRAMES; found += 1) {
    if (at + 4 > bytes.length) return false;
    const head = bytes.readUInt32BE(at);
    const length = frameBytes(head);
    if (length === 0 || (head & SAME) !== (bytes.readUInt32BE(start) & SAME)) return false;
    at += length;
  }
  return true;
};

/** Sync, version, layer and sample rate, which no frame of a file changes. */
const SAME = 0xfffe_0c00;
/** kbit/s by a head's number, of MPEG 1, and of MPEG 2 and 2.5; 0: not a frame whose length is known. */
const RATES = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],
] as const;
const HERTZ = [44_100, 48_000, 32_000] as const;

/** The length of the frame with this head; 0: it is no header of layer III. */
const frameBytes = (head: number): number => {
  const version = (head >>> 19) & 3;
  const hertz = HERTZ[(head >>> 10) & 3];
  const isLayer3 = head >>> 21 === 0x7ff && version !== 1 && ((head >>> 17) & 3) === 1;
  if (!isLayer3 || !hertz) return 0;
  const isFirst = version === 3;
  const rate = RATES[isFirst ? 0 : 1][(head >>> 12) & 15] ?? 0;
  const divided = version === 3 ? 1 : version === 2 ? 2 : 4;
  const bytes = Math.floor(((isFirst ? 144_000 : 72_000) * rate * divided) / hertz);
  return rate && bytes + ((head >>> 9) & 1);
};
