import sharpLibrary, { type Sharp, type SharpOptions } from 'sharp';

let prepared = false;

/** sharp as this service uses it: libvips loads the accepted formats only (BMP is not among them: `bmp.ts`; of HEIC no pixels: `heic.ts`), whatever the content is, and caches nothing. */
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

const MOST_CHARACTERS = 500;

/** libvips reports a fault on several lines, each with its own prefix; the last one states the cause. */
export const reasonOf = (error: unknown): string => {
  const lines = error instanceof Error ? error.message.trim().split('\n') : [];
  return (
    lines
      .at(-1)
      // It may quote what the file holds.
      ?.slice(0, MOST_CHARACTERS)
      .replace(/(\/\S+|\S*vips\S*): /gi, '')
      .trim()
      .replace(/:$/, '') || 'it is damaged'
  );
};
