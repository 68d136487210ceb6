import { evened, fitted, type Picture, within } from '../../frame.ts';
import type { FfmpegOptions } from '../ffmpeg.ts';
import type { ImageInfo } from '../info.ts';
import { decodeImage } from './picture.ts';
import { sharp } from './sharp.ts';

/**
 * An image as the frame of a video: RGB, transparency over white, no larger than `most`; an odd side grows by a repeated
 * column or row. Throws media_unreadable.
 */
export const decodeStill = async (
  path: string,
  info: ImageInfo,
  { most, ...options }: FfmpegOptions & { readonly most: Parameters<typeof within>[1] },
): Promise<Picture> => {
  const picture = await decodeImage(path, info, options);
  const fit = within(picture, most);
  const size = evened(fit);
  const grown = { right: size.width - fit.width, bottom: size.height - fit.height };
  const frame = raw(await rgb(raw(picture).flatten({ background: '#ffffff' }).resize(fit)));
  return rgb(frame.extend({ ...grown, extendWith: 'copy' }));
};

/** The picture, reduced so that the longer side has at most this many pixels. */
export const shrink = (picture: Picture, longSide: number): Promise<Picture> => {
  const { width, height } = fitted(picture, longSide);
  return rgb(raw(picture).resize(width, height, { fit: 'fill' }));
};

const raw = ({ width, height, channels, pixels }: Picture) =>
  sharp(pixels, { raw: { width, height, channels }, limitInputPixels: false });

const rgb = async (picture: ReturnType<typeof sharp>): Promise<Picture> => {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`expected 3 channels; got ${info.channels}`);
  return { width: info.width, height: info.height, channels: 3, pixels: data };
};
