/** What an enlargement costs: output megapixels, times the seconds of a video. Pure. */
import {
  type ListPrice,
  listPrice,
  megapixels,
  type Span,
  videoSeconds,
} from '../../accounts/list-price.ts';
import type { Size } from '../../frame.ts';

/**
 * A frame of video costs at least what one of this many pixels does: a call of `photo` takes 5 ms for a single pixel, where
 * a megapixel takes 1 s, and decoder and encoder have their own share of each frame.
 */
const LEAST_FRAME_PIXELS = 10_000;
/** A strip of 2x2048 takes `photo` 28 ms, as much as 16x2048 would. */
const LEAST_SIDE = 16;

/** `rate`: credits for a megapixel of output, of a second for video. */
export const upscalePrice = (model: string, rate: number, size: Size, video?: Span): ListPrice => {
  const pixels = paidPixels(size);
  if (!video) return listPrice(model, rate, [megapixels(pixels)]);
  const paid = Math.max(pixels, LEAST_FRAME_PIXELS);
  const remark = paid > pixels ? ' (the least for a frame)' : '';
  return listPrice(model, rate, [megapixels(paid, remark), videoSeconds(video)]);
};

/** The pixels of an output as they are paid for: a side counts as 16 at the least. */
const paidPixels = ({ width, height }: Size): number =>
  Math.max(width, LEAST_SIDE) * Math.max(height, LEAST_SIDE);
