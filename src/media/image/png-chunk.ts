import { crc32 } from 'node:zlib';

/** A chunk of a PNG: length, type, data, and the checksum of the last two. */
export const pngChunk = (type: string, data: Uint8Array = Buffer.alloc(0)): Buffer => {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
};
