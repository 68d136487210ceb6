import sharpLibrary, { type Sharp, type SharpOptions } from 'sharp';
import { CUT_OFF } from '../outcome.ts';

let prepared = false;

/**
 * sharp (libvips) as this service uses it: it loads the accepted formats only and caches nothing. `bmp.ts` reads BMP, and
 * `heic.ts` the pixels of HEIC. See decision 3.
 */
export const sharp = (input: string | Buffer | Uint16Array, options: SharpOptions): Sharp => {
  if (!prepared) {
    const loaders = ['Png', 'Jpeg', 'Webp', 'Heif', 'Tiff', 'Nsgif'].map(
      (format) => `VipsForeignLoad${format}`,
    );
    sharpLibrary.block({ operation: ['VipsForeignLoad'] });
    sharpLibrary.unblock({ operation: loaders });
    sharpLibrary.cache(false);
    prepared = true;
  }
  return sharpLibrary(input, options);
};

/** What the header of an image says, of any size. */
export const metadataOf = (path: string) => sharp(path, { limitInputPixels: false }).metadata();

const MOST_CHARACTERS = 500;

/** libvips reports a fault on several lines, each with its own prefix; the last one states the cause. */
export const reasonOf = (error: unknown): string => {
  const lines = error instanceof Error ? error.message.trim().split('\n') : [];
  const last = lines
    .at(-1)
    // It may quote what the file holds.
    ?.slice(0, MOST_CHARACTERS)
    .replace(/(\/\S+|\S*vips\S*): /gi, '')
    .trim()
    .replace(/:$/, '');
  if (!last) return DAMAGED;
  return causes.find(([words]) => words.test(last))?.[1] ?? last;
};

const DAMAGED = 'it is damaged';
/** How the libraries name what is wrong with a file whose transfer broke off: libjpeg, giflib, libtiff, ffmpeg's BMP, libheif's code. */
const causes: readonly (readonly [RegExp, string])[] = [
  [/premature end|unexpected end|read error at|not enough data|\(2\.100\)/i, CUT_OFF],
  // A WebP without its end, and a TIFF without its index, which stands there.
  [/unable to parse image|unsupported image format/, `${DAMAGED} or cut off`],
  [/bad labq format/, 'its colours are Lab: export it as RGB'],
];
