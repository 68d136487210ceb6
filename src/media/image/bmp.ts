/** BMP, which libvips does not read: its header is read here, its pixels by ffmpeg. */
import type { Size } from '../../frame.ts';
import { type FfmpegOptions, pictureInput } from '../ffmpeg.ts';
import { openFileWindow } from '../file-window.ts';
import { pngByFfmpeg } from './png-by-ffmpeg.ts';

type BmpHeader = { readonly size: Size; readonly alpha: boolean };

/** Bytes of a file header and the shortest header of a picture behind it. */
const SHORTEST = 26;
const CORE_HEADER_BYTES = 12;

/** Null for a file that is no BMP. Throws for one whose header is damaged. */
export const readBmpHeader = async (path: string): Promise<BmpHeader | null> => {
  const file = await openFileWindow(path);
  try {
    if (file.size < SHORTEST) return null;
    const head = Buffer.concat([await file.read(0, Math.min(file.size, 30))], 30);
    return head.toString('latin1', 0, 2) === 'BM' ? headerIn(head) : null;
  } finally {
    await file.close();
  }
};

/** The oldest form has 16-bit sizes; in all others a negative height says that the rows stand from top to bottom. */
const headerIn = (head: Buffer): BmpHeader => {
  const isCore = head.readUInt32LE(14) === CORE_HEADER_BYTES;
  const width = isCore ? head.readUInt16LE(18) : head.readInt32LE(18);
  const height = isCore ? head.readUInt16LE(20) : Math.abs(head.readInt32LE(22));
  const bits = head.readUInt16LE(isCore ? 24 : 28);
  if (width <= 0 || height <= 0) throw new Error(`its header says ${width}x${height} pixels`);
  return { size: { width, height }, alpha: bits === 32 };
};

/** The same picture as a PNG; throws as `pngByFfmpeg` does. ffmpeg counts the pixels of its memory, where a row takes a multiple of 64. */
export const bmpAsPng = (
  path: string,
  { width, height }: Size,
  options: FfmpegOptions,
): Promise<Buffer> => pngByFfmpeg(pictureInput(path, 'bmp', (width + 64) * height), options);
