/**
 * HEIC, in which phones keep photographs. libvips reads its header here, and not its HEVC: its pixels are read by ffmpeg, which
 * puts the tiles together and turns the picture, but tells of no colour profile where there are tiles.
 */
import { deflateSync } from 'node:zlib';
import type { Size } from '../../frame.ts';
import { type FfmpegOptions, pictureInput } from '../ffmpeg.ts';
import { pngByFfmpeg } from './png-by-ffmpeg.ts';
import { pngChunk } from './png-chunk.ts';
import { sharp } from './sharp.ts';

/** The signature and the chunk IHDR. */
const HEAD_BYTES = 33;
/** The side of the blocks that HEVC codes, up to which a picture is filled. */
const CODING_BLOCK = 64;
/** Tiles, which phones make 512 pixels wide, may be larger than the picture that is cut from them. */
const LARGEST_TILE = 1024;

/** The same picture as a PNG with the same profile. Throws as `pngByFfmpeg` does. */
export const heicAsPng = async (
  path: string,
  { width, height }: Size,
  options: FfmpegOptions,
): Promise<Buffer> => {
  const mostPixels = Math.max((width + CODING_BLOCK) * (height + CODING_BLOCK), LARGEST_TILE ** 2);
  const input = [...pictureInput(path, 'heic', mostPixels), '-pix_fmt', 'rgb24'];
  const [png, { icc }] = await Promise.all([pngByFfmpeg(input, options), metadataOf(path)]);
  const hasProfile = png.subarray(0, png.indexOf('IDAT')).includes('iCCP');
  return icc && !hasProfile ? withChunks(png, [['iCCP', iccp(icc)]]) : png;
};

/** A PNG of one pixel with its EXIF and XMP: sharp copies these from a file that it can decode. */
export const heicMetadataAsPng = async (path: string): Promise<Buffer> => {
  const { exif, xmp } = await metadataOf(path);
  const pixel = sharp(Buffer.alloc(3), { raw: { width: 1, height: 1, channels: 3 } });
  return withChunks(await pixel.png().toBuffer(), [
    ...(exif ? [['eXIf', tiffIn(exif)] as const] : []),
    ...(xmp ? [['iTXt', Buffer.concat([XMP_HEAD, xmp])] as const] : []),
  ]);
};

/** EXIF is a TIFF; before it a HEIC may have the prefix that it has in a JPEG. */
const tiffIn = (exif: Buffer): Buffer =>
  exif.subarray(exif.toString('latin1', 0, 4) === 'Exif' ? 6 : 0);
/** Keyword, not compressed, no language, no translated keyword. */
const XMP_HEAD = Buffer.from('XML:com.adobe.xmp\0\0\0\0\0', 'latin1');

const metadataOf = (path: string) => sharp(path, { limitInputPixels: false }).metadata();

/** Its name, how it is compressed, itself. */
const iccp = (icc: Buffer): Buffer => Buffer.concat([Buffer.from('icc\0\0'), deflateSync(icc)]);

const withChunks = (png: Buffer, chunks: readonly (readonly [string, Uint8Array])[]): Buffer =>
  Buffer.concat([
    png.subarray(0, HEAD_BYTES),
    ...chunks.map(([type, data]) => pngChunk(type, data)),
    png.subarray(HEAD_BYTES),
  ]);
