import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

const SIGNATURE_BYTES = 8;
const critical = ['IHDR', 'PLTE', 'IDAT', 'IEND'];

/** Throws when a PNG is cut off or a part of it that matters is damaged: libpng lets both pass in an interlaced picture. */
export const checkPng = async (path: string): Promise<void> => {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    let [at, type] = [SIGNATURE_BYTES, ''];
    while (type !== 'IEND') {
      // A chunk: length, type, data, checksum of type and data.
      const head = await readExactly(file, size, at, 8);
      const length = head.readUInt32BE(0);
      type = head.toString('latin1', 4, 8);
      if (critical.includes(type)) {
        const body = await readExactly(file, size, at + 4, length + 8);
        const sum = body.readUInt32BE(length + 4);
        if (crc32(body.subarray(0, length + 4)) !== sum) throw new Error(`its ${type} is damaged`);
      }
      at += length + 12;
    }
  } finally {
    await file.close();
  }
};

const readExactly = async (file: FileHandle, size: number, at: number, bytes: number) => {
  if (at + bytes > size) throw new Error('the file is cut off');
  const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, at);
  return buffer;
};
