import sharpLibrary, { type Sharp, type SharpOptions } from 'sharp';

let prepared = false;

/** sharp as this service uses it: nothing but our four formats loads, whatever the content pretends, and nothing is cached. */
export const sharp = (input: string | Buffer, options: SharpOptions): Sharp => {
  if (!prepared) {
    const loaders = ['Png', 'Jpeg', 'Webp', 'Heif'].map((format) => `VipsForeignLoad${format}`);
    sharpLibrary.block({ operation: ['VipsForeignLoad'] });
    sharpLibrary.unblock({ operation: loaders });
    sharpLibrary.cache(false);
    prepared = true;
  }
  return sharpLibrary(input, options);
};

const LONGEST = 500;

/** libvips tells a fault more than once, each time with its own prefix; the last line is the one that says it. */
export const reasonOf = (error: unknown): string => {
  const lines = error instanceof Error ? error.message.trim().split('\n') : [];
  return (
    lines
      .at(-1)
      // What a file holds may stand in it.
      ?.slice(0, LONGEST)
      .replace(/(\/\S+|\S*vips\S*): /gi, '')
      .trim() || 'it is damaged'
  );
};
