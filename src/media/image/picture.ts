import type { Matrix3x3, Sharp, SharpOptions } from 'sharp';
import type { ImageFormat } from '../../contract/media.ts';
import { Failure } from '../../errors.ts';
import { type Picture, sizeText } from '../../frame.ts';
import type { FfmpegOptions } from '../ffmpeg.ts';
import type { ImageInfo } from '../info.ts';
import { unreadable } from '../outcome.ts';
import type { EncodingOptions } from '../output.ts';
import { bmpAsPng } from './bmp.ts';
import { asSrgb } from './hdr.ts';
import { heicAsPng } from './heic.ts';
import { checkPng } from './png.ts';
import { type Attached, withChunks } from './png-chunk.ts';
import { displayP3 } from './profile.ts';
import { metadataOf, reasonOf, sharp } from './sharp.ts';

const TIMEOUT_SECONDS = 600;

/** `depth` 16: with 16 bits a sample instead of 8. `profile`: the image's own (`profile.ts`), if it is to be kept. */
type Layout = { readonly depth?: 16 | undefined; readonly profile?: Buffer | undefined };
type Decoding = FfmpegOptions & Layout;

/**
 * The pixels of an image as sRGB, or with the codes of its own profile, upright, with alpha where the file has some: other ICC
 * profiles, HDR, CMYK, grey and palettes are all converted here. Throws media_unreadable for a file that is damaged or cut off.
 */
export const decodeImage = async (
  path: string,
  info: ImageInfo,
  { depth, profile, ...options }: Decoding,
): Promise<Picture> => {
  try {
    const source = await readable(path, info, options);
    const [decoded, checked] = await Promise.allSettled([
      decodeStrictly(source, info, { depth: info.hdr ? 16 : depth, profile }),
      info.format === 'png' ? checkPng(path) : undefined,
    ]);
    // It knows better what is wrong than libpng.
    if (checked.status === 'rejected') throw checked.reason;
    if (decoded.status === 'rejected') throw decoded.reason;
    const {
      data,
      info: { width, height, channels },
    } = decoded.value;
    if (channels !== 3 && channels !== 4)
      throw new Error(`expected 3 or 4 channels; got ${channels}`);
    if (sizeText({ width, height }) !== sizeText(info.size))
      throw new Error('its size differs from its header');
    const picture = { width, height, channels, pixels: data } as const;
    return info.hdr
      ? await asSrgb(picture, info.hdr, depth)
      : { ...picture, ...(depth && { depth }) };
  } catch (error) {
    if (error instanceof Failure || options.signal.aborted) throw error;
    throw unreadable(reasonOf(error), error, 'image');
  }
};

/** What libvips can decode: the file, or a PNG of what is in it. */
const readable = async (path: string, { format, size, hdr }: ImageInfo, options: FfmpegOptions) => {
  if (format === 'bmp') return bmpAsPng(path, size, options);
  const isDeep = hdr !== undefined;
  return format === 'heic' ? heicAsPng(path, size, { ...options, isDeep }) : path;
};

/**
 * libjpeg only warns of broken data, but it also warns of deviations that cameras write into good files: these warnings
 * do not refuse a file.
 */
const decodeStrictly = async (
  source: string | Buffer,
  info: ImageInfo,
  { depth, profile }: Layout,
) => {
  const ignoreIcc = profile !== undefined || info.hdr !== undefined;
  const options = { depth, ignoreIcc, limitInputPixels: info.size.width * info.size.height };
  try {
    const failOn = info.format === 'jpeg' ? 'warning' : 'error';
    return await decode(source, info, { ...options, failOn });
  } catch (error) {
    const harmless = /\b\d\d? extraneous bytes|SOS parameters|Adobe color transform|progression/i;
    if (info.format !== 'jpeg' || !harmless.test(reasonOf(error))) throw error;
    return await decode(source, info, { ...options, failOn: 'error' });
  }
};

const decode = async (
  file: string | Buffer,
  info: ImageInfo,
  { depth, ...options }: SharpOptions & { readonly depth: 16 | undefined },
) => {
  const source = await withItsProfile(file, info, options);
  const picture = rgbOf(sharp(source, options), info)
    .autoOrient()
    .toColourspace(depth ? 'rgb16' : 'srgb');
  // sharp takes 16-bit colour with a profile to Display P3 and would leave it there.
  return (info.profile === 'rgb16' && !options.ignoreIcc ? picture.withIccProfile('srgb') : picture)
    .timeout({ seconds: TIMEOUT_SECONDS })
    .raw({ depth: depth ? 'ushort' : 'uchar' })
    .toBuffer({ resolveWithObject: true });
};

/** The file, or a PNG of it, so that sharp applies the profile that it has or states. */
const withItsProfile = async (
  file: string | Buffer,
  { profile, p3 }: ImageInfo,
  options: SharpOptions,
): Promise<string | Buffer> => {
  // sharp applies the profile of 8-bit grey and ignores that of 16-bit grey, so 16 bits become 8 first.
  if (profile === 'grey16') {
    const grey = sharp(file, options).keepMetadata().toColourspace('b-w');
    return grey.png({ compressionLevel: 1 }).toBuffer();
  }
  if (!p3 || options.ignoreIcc) return file;
  const png = sharp(file, options).autoOrient().png({ compressionLevel: 1 });
  return withChunks(await png.toBuffer(), { icc: await displayP3() });
};

/** As RGB, where a TIFF has Y, Cb and Cr (TIFF 6.0, section 21). Where Cb and Cr have fewer pixels libtiff has done it. */
const rgbOf = (picture: Sharp, { format, alpha, ycbcr }: ImageInfo): Sharp => {
  if (!ycbcr) return format === 'tiff' && !alpha ? picture.removeAlpha() : picture;
  const [black = 0, white = 0, zeroCb = 0, mostCb = 0, zeroCr = 0, mostCr = 0] = ycbcr;
  const [y, cb, cr] = [255 / (white - black), 127 / (mostCb - zeroCb), 127 / (mostCr - zeroCr)];
  const matrix: Matrix3x3 = [
    [y, 0, 1.402 * cr],
    [y, -0.344136 * cb, -0.714136 * cr],
    [y, 1.772 * cb, 0],
  ];
  // Of a sample's fraction libvips keeps nothing: .5 rounds it.
  const added = matrix.map(([a, b, c]) => 0.5 - (a * black + b * zeroCb + c * zeroCr));
  return picture.recomb(matrix).linear([1, 1, 1], added);
};

export type ImageEncoding = {
  readonly source: { readonly path: string; readonly info: ImageInfo };
  readonly target: string;
  readonly format: ImageFormat;
  readonly output: EncodingOptions;
  /** The picture's ICC profile; undefined: sRGB. */
  readonly profile?: Buffer | undefined;
};

/** Writes the picture to `target`; a source without colour gives an output without. Throws encode_failed. */
export const encodeImage = async (
  picture: Picture,
  { source, target, format, output, profile }: ImageEncoding,
): Promise<void> => {
  const keep = output.metadata === 'keep' && source.info.metadata;
  try {
    const shown = format === 'jpeg' ? await flattened(picture, output) : picture;
    const { exif, xmp } = keep ? await metadataOf(source.path) : {};
    const attached = { icc: profile, exif, xmp };
    const pixels = keep || profile ? await withAttached(shown, attached) : raw(shown);
    const gray = source.info.gray && !tints(picture, format, output);
    const toned = toneOf(pixels, gray, picture.depth);
    await encoders[format](toned, output).timeout({ seconds: TIMEOUT_SECONDS }).toFile(target);
  } catch (error) {
    throw new Failure('encode_failed', { reason: reasonOf(error) }, { cause: error });
  }
};

const toneOf = (pixels: Sharp, gray: boolean, depth?: 16): Sharp => {
  if (depth) return pixels.toColourspace(gray ? 'grey16' : 'rgb16');
  return gray ? pixels.toColourspace('b-w') : pixels;
};

/** Whether the background, which shows through alpha, adds colour to a picture that has none. */
const tints = ({ channels }: Picture, format: ImageFormat, { background = '' }: EncodingOptions) =>
  format === 'jpeg' && channels === 4 && !/^#?(..)\1\1$/.test(background) && background !== '';

/** avif's time depends most on its effort: above 2 a large picture takes minutes longer and becomes a few percent smaller. */
const encoders: Record<ImageFormat, (picture: Sharp, output: EncodingOptions) => Sharp> = {
  // libvips' own level, 6, takes up to twice the time: photographs get no smaller by it, drawn pictures a tenth.
  png: (picture) => picture.png({ adaptiveFiltering: true, compressionLevel: 3 }),
  jpeg: (picture, { quality = 92 }) => picture.jpeg({ quality, chromaSubsampling: '4:4:4' }),
  webp: (picture, { lossless = false, quality = 90 }) =>
    picture.webp(lossless ? { lossless, exact: true, effort: 2 } : { quality }),
  avif: (picture, { lossless = false, quality = 70 }) =>
    picture.avif({ lossless, quality, effort: 2, chromaSubsampling: '4:4:4' }),
};

/** Without alpha, on the background. In a step of its own, as sharp flattens before it puts a picture on a canvas. */
const flattened = async (
  picture: Picture,
  { background = '#ffffff' }: EncodingOptions,
): Promise<Picture> => {
  if (picture.channels === 3) return picture;
  const pixels = await raw(picture).flatten({ background }).raw().toBuffer();
  return { ...picture, channels: 3, pixels };
};

const raw = (picture: Picture): Sharp => {
  const { width, height, channels } = picture;
  return sharp(samplesOf(picture), { raw: { width, height, channels }, limitInputPixels: false });
};

/** sharp infers the depth from the type. The bytes are copied for that, as they may begin at an odd place in their memory. */
const samplesOf = ({ pixels, depth }: Picture): Buffer | Uint16Array =>
  depth ? new Uint16Array(new Uint8Array(pixels).buffer) : pixels;

/**
 * The picture on a canvas that has EXIF, XMP and the profile, of which only the orientation changes: sharp takes them from a
 * file alone, here from a PNG of one pixel. Opaque pixels stay exact; the blend may change transparent ones by one step of a
 * sample.
 */
const withAttached = async (picture: Picture, attached: Attached): Promise<Sharp> => {
  const { width, height, channels, depth, pixels } = picture;
  const pixel = sharp(Buffer.alloc(3), { raw: { width: 1, height: 1, channels: 3 } });
  const opened = sharp(withChunks(await pixel.png().toBuffer(), attached), { ignoreIcc: true })
    .autoOrient()
    .resize(width, height, { kernel: 'nearest', fit: 'fill' });
  const deep = () => opened.pipelineColourspace('rgb16').toColourspace('rgb16');
  const canvas = (depth ? deep() : opened.toColourspace('srgb'))
    .composite([
      {
        // sharp takes raw samples of 8 bits only here.
        ...(depth
          ? { input: await asTiff(picture) }
          : { input: pixels, raw: { width, height, channels } }),
        blend: 'source',
        limitInputPixels: false,
      },
    ])
    .keepIccProfile();
  if (attached.exif) canvas.keepExif();
  if (attached.xmp) canvas.keepXmp();
  return channels === 3 ? canvas.removeAlpha() : canvas;
};

const asTiff = (picture: Picture): Promise<Buffer> =>
  raw(picture).toColourspace('rgb16').tiff({ compression: 'none' }).toBuffer();
