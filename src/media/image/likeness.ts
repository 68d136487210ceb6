import { psnrOf } from '../../psnr.ts';
import { sharp } from './sharp.ts';

/** The long side at which pictures are compared: a larger one would take hundreds of megabytes and tell no more. */
const LONG_SIDE = 2048;

/** The signal-to-noise ratio (PSNR) in dB of two pictures as RGB, 100 at most; 0 where their sizes differ. */
export const likenessOf = async (first: string, second: string): Promise<number> => {
  const [a, b] = await Promise.all([pixelsOf(first), pixelsOf(second)]);
  if (a.width !== b.width || a.height !== b.height) return 0;
  let sum = 0;
  for (let at = 0; at < a.pixels.length; at += 1)
    sum += ((a.pixels[at] ?? 0) - (b.pixels[at] ?? 0)) ** 2;
  return Math.min(100, psnrOf(sum / a.pixels.length));
};

const pixelsOf = async (path: string) => {
  const { data, info } = await sharp(path, { limitInputPixels: false })
    .resize({ width: LONG_SIDE, height: LONG_SIDE, fit: 'inside', withoutEnlargement: true })
    .flatten()
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, pixels: data };
};
