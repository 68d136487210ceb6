import { crc32, deflateSync } from 'node:zlib';

/** A chunk of a PNG: length, type, data, and the checksum of the last two. */
export const pngChunk = (type: string, data: Uint8Array = Buffer.alloc(0)): Buffer => {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
};

/** What belongs to a picture beside its pixels. exif: a TIFF, behind the prefix that it has in a JPEG, or without. */
export type Attached = {
  readonly exif?: Buffer | undefined;
  readonly xmp?: Buffer | undefined;
  readonly icc?: Buffer | undefined;
};

/** A PNG that has none of these, with them. */
export const withChunks = (png: Buffer, { exif, xmp, icc }: Attached): Buffer =>
  Buffer.concat([
    png.subarray(0, HEAD_BYTES),
    ...(icc ? [pngChunk('iCCP', Buffer.concat([ICC_HEAD, deflateSync(icc)]))] : []),
    ...(exif ? [pngChunk('eXIf', tiffIn(exif))] : []),
    ...(xmp ? [pngChunk('iTXt', Buffer.concat([XMP_HEAD, xmp]))] : []),
    png.subarray(HEAD_BYTES),
  ]);

/** The signature and the chunk IHDR. */
const HEAD_BYTES = 33;
/** Its name, and how it is compressed. */
const ICC_HEAD = Buffer.from('icc\0\0');
/** Keyword, not compressed, no language, no translated keyword. */
const XMP_HEAD = Buffer.from('XML:com.adobe.xmp\0\0\0\0\0', 'latin1');

const tiffIn = (exif: Buffer): Buffer =>
  exif.subarray(exif.toString('latin1', 0, 4) === 'Exif' ? 6 : 0);
