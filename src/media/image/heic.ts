/**
 * HEIC, in which phones keep photographs. libvips reads its header here, and not its HEVC: its pixels are read by ffmpeg, which
 * puts the tiles together and turns the picture, but tells of no colour profile where there are tiles.
 */
import type { Size } from '../../frame.ts';
import { type FfmpegOptions, pictureInput } from '../ffmpeg.ts';
import { pngByFfmpeg } from './png-by-ffmpeg.ts';
import { withChunks } from './png-chunk.ts';
import { metadataOf } from './sharp.ts';

/** The side of the blocks that HEVC codes, up to which a picture is filled. */
const CODING_BLOCK = 64;
/** Tiles, which phones make 512 pixels wide, may be larger than the picture that is cut from them. */
const LARGEST_TILE = 1024;

/** The same picture as a PNG with the same profile. `isDeep`: of 16 bits a sample instead of 8. Throws as `pngByFfmpeg` does. */
export const heicAsPng = async (
  path: string,
  { width, height }: Size,
  { isDeep, ...options }: FfmpegOptions & { readonly isDeep: boolean },
): Promise<Buffer> => {
  const mostPixels = Math.max((width + CODING_BLOCK) * (height + CODING_BLOCK), LARGEST_TILE ** 2);
  const input = [
    ...pictureInput(path, 'heic', mostPixels),
    '-pix_fmt',
    isDeep ? 'rgb48be' : 'rgb24',
  ];
  const [png, { icc }] = await Promise.all([pngByFfmpeg(input, options), metadataOf(path)]);
  const hasProfile = png.subarray(0, png.indexOf('IDAT')).includes('iCCP');
  return icc && !hasProfile ? withChunks(png, { icc }) : png;
};
