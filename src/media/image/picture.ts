import type { Sharp, SharpOptions } from 'sharp';
import { Failure } from '../../errors.ts';
import { type Picture, sizeText } from '../../frame.ts';
import type { ImageFormat, UpscaleOutput } from '../../operations/upscale/request.ts';
import type { ImageInfo } from '../info.ts';
import { checkPng } from './png.ts';
import { reasonOf, sharp } from './sharp.ts';

const TIMEOUT_SECONDS = 600;
/** Larger pictures are encoded one at a time: webp and avif take up to 40 bytes a pixel, 10 GB for 256 megapixels. */
const LARGE_PIXELS = 64_000_000;

/**
 * The pixels of an image as 8-bit sRGB, upright, with alpha where the file has some: ICC profiles, CMYK, grey,
 * palettes and 16 bits are all resolved here. Throws media_unreadable for a file that is damaged or cut off.
 */
export const decodeImage = async (path: string, info: ImageInfo): Promise<Picture> => {
  try {
    if (info.format === 'png') await checkPng(path);
    const decoded = await decodeStrictly(path, info);
    const { width, height, channels } = decoded.info;
    if (channels !== 3 && channels !== 4) throw new Error(`${channels} channels came`);
    if (sizeText({ width, height }) !== sizeText(info.size)) throw new Error('its size changed');
    return { width, height, channels, pixels: decoded.data };
  } catch (error) {
    throw new Failure('media_unreadable', { reason: reasonOf(error) }, { cause: error });
  }
};

/**
 * libjpeg only warns of broken data, but it also warns of oddities that cameras write into good files:
 * a warning that is not about the data is let through.
 */
const decodeStrictly = async (path: string, info: ImageInfo) => {
  try {
    return await decode(path, info, info.format === 'jpeg' ? 'warning' : 'error');
  } catch (error) {
    const harmless = /\b\d\d? extraneous bytes|SOS parameters|Adobe color transform|progression/i;
    if (info.format !== 'jpeg' || !harmless.test(reasonOf(error))) throw error;
    return await decode(path, info, 'error');
  }
};

const decode = async (path: string, info: ImageInfo, failOn: 'warning' | 'error') => {
  const options = { failOn, limitInputPixels: info.size.width * info.size.height };
  const source = info.profile === 'grey16' ? await profiledGrey(path, options) : path;
  const picture = sharp(source, options).autoOrient().toColourspace('srgb');
  // sharp takes 16-bit colour with a profile to Display P3 and would leave it there.
  return (info.profile === 'rgb16' ? picture.withIccProfile('srgb') : picture)
    .timeout({ seconds: TIMEOUT_SECONDS })
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
};

/** sharp heeds the profile of 8-bit grey and not of 16-bit grey, so that is made the former first. */
const profiledGrey = (path: string, options: SharpOptions): Promise<Buffer> =>
  sharp(path, options).keepMetadata().toColourspace('b-w').png({ compressionLevel: 1 }).toBuffer();

/** Writes the picture to `target`; a source without colour gives an output without. Throws encode_failed. */
export const encodeImage = async (
  picture: Picture,
  source: { readonly path: string; readonly info: ImageInfo },
  target: string,
  format: ImageFormat,
  output: UpscaleOutput,
): Promise<void> => {
  const keep = output.metadata === 'keep' && source.info.metadata;
  const pixels = keep ? withMetadata(picture, source) : raw(picture);
  try {
    const toned =
      source.info.gray && !tints(picture, format, output) ? pixels.toColourspace('b-w') : pixels;
    const encode = () =>
      encoders[format](toned, output).timeout({ seconds: TIMEOUT_SECONDS }).toFile(target);
    await (picture.width * picture.height > LARGE_PIXELS ? alone(encode) : encode());
  } catch (error) {
    throw new Failure('encode_failed', { reason: reasonOf(error) }, { cause: error });
  }
};

let before: Promise<unknown> = Promise.resolve();

/** Runs the work when the one before it has ended, however it did. */
const alone = <T>(work: () => Promise<T>): Promise<T> => {
  const result = before.then(work, work);
  before = result;
  return result;
};

/** Whether a colour comes in that the source does not have: that of the background under its alpha. */
const tints = ({ channels }: Picture, format: ImageFormat, { background = '' }: UpscaleOutput) =>
  format === 'jpeg' && channels === 4 && !/^#?(..)\1\1$/.test(background) && background !== '';

/** avif's effort is what its time depends on most: above 2 a large picture takes minutes for a few percent. */
const encoders: Record<ImageFormat, (picture: Sharp, output: UpscaleOutput) => Sharp> = {
  png: (picture) => picture.png({ adaptiveFiltering: true }),
  jpeg: (picture, { quality = 92, background = '#ffffff' }) =>
    picture.flatten({ background }).jpeg({ quality, chromaSubsampling: '4:4:4' }),
  webp: (picture, { lossless = false, quality = 90 }) =>
    picture.webp(lossless ? { lossless, exact: true, effort: 2 } : { quality }),
  avif: (picture, { lossless = false, quality = 70 }) =>
    picture.avif({ lossless, quality, effort: 2, chromaSubsampling: '4:4:4' }),
};

const raw = ({ width, height, channels, pixels }: Picture): Sharp =>
  sharp(pixels, { raw: { width, height, channels }, limitInputPixels: false });

/**
 * The picture on a canvas that comes from the source and so carries its EXIF and XMP, of which nothing but the
 * orientation changes. Opaque pixels stay exact; through the blend, faint ones may change by one step.
 */
const withMetadata = (
  { width, height, channels, pixels }: Picture,
  { path, info }: { readonly path: string; readonly info: ImageInfo },
): Sharp => {
  const canvas = sharp(path, { limitInputPixels: info.size.width * info.size.height })
    .autoOrient()
    .extract({ left: 0, top: 0, width: 1, height: 1 })
    .resize(width, height, { kernel: 'nearest', fit: 'fill' })
    .toColourspace('srgb')
    .composite([
      {
        input: pixels,
        raw: { width, height, channels },
        blend: 'source',
        limitInputPixels: false,
      },
    ])
    .keepExif()
    .keepXmp();
  return channels === 3 ? canvas.removeAlpha() : canvas;
};
