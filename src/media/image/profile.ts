/** ICC profiles of colours that sRGB does not have, such as Display P3, in which phones keep photographs, and Adobe RGB. */
import type { ImageInfo } from '../info.ts';
import { withChunks } from './png-chunk.ts';
import { metadataOf, sharp } from './sharp.ts';

/** A red, a green, a blue and a grey, by which a profile is judged. */
const CODES = [200, 50, 50, 50, 200, 50, 50, 50, 200, 128, 128, 128] as const;
/** Levels of 255 by which the codes of sRGB's own profiles may differ from sRGB. */
const ROUNDED = 2;
/**
 * Levels of sRGB between which the grey is to be. The networks know codes that are as far apart as they look: those of a linear
 * profile, which has 188, are not.
 */
const MIDDLE = { least: 90, most: 165 } as const;

/**
 * The profile that the result of an image keeps, with the image's own codes. Undefined: the result is sRGB. That is so where
 * the profile is not of RGB, or as good as sRGB, or linear, and where the image is HDR (`hdr.ts`).
 */
export const profileOf = async (path: string, info: ImageInfo): Promise<Buffer | undefined> => {
  if (info.format === 'bmp' || info.hdr) return undefined;
  if (info.p3) return displayP3();
  const { icc, space } = await metadataOf(path);
  const isRgb = space === 'srgb' || space === 'rgb16';
  if (!icc || !isRgb || icc.toString('latin1', 16, 20) !== 'RGB ') return undefined;
  const shown = await shownBy(icc);
  const middle = shown[9] ?? 0;
  const isUsual = middle > MIDDLE.least && middle < MIDDLE.most;
  const isOther = CODES.some((code, at) => Math.abs(code - (shown[at] ?? 0)) > ROUNDED);
  return isUsual && isOther ? icc : undefined;
};

/** The profile of Display P3, which libvips has. */
export const displayP3 = async (): Promise<Buffer | undefined> => {
  const raw = { width: 1, height: 1, channels: 3 } as const;
  const pixel = await sharp(Buffer.alloc(3), { raw }).withIccProfile('p3').png().toBuffer();
  return (await sharp(pixel, {}).metadata()).icc;
};

/** The codes as sRGB; unchanged by a profile that cannot be read. */
const shownBy = async (icc: Buffer): Promise<Buffer> => {
  const raw = { width: CODES.length / 3, height: 1, channels: 3 } as const;
  const codes = await sharp(Buffer.from(CODES), { raw }).png().toBuffer();
  return sharp(withChunks(codes, { icc }), {}).toColourspace('srgb').raw().toBuffer();
};
