import { type Picture, type Size, strideOf } from '../../frame.ts';
import type { Upscaler } from '../../triton/clients/upscaler.ts';

/** Rows of a picture: what a band answers for, and what travels with it as context. */
export type Band = {
  readonly top: number;
  readonly bottom: number;
  readonly contextTop: number;
  readonly contextBottom: number;
};

type Grid = Pick<Upscaler, 'bandAlign' | 'bandHalo' | 'bandRows'>;

/** So many rows are measured, as the model does (_SIDE in enhance/upscale/damage.py); they begin where a JPEG's blocks do. */
const SAMPLED_ROWS = 512;
const BLOCK = 8;

/** So many output pixels take a second or two on a laptop: short enough to cancel, long enough to be efficient. */
const outputPixelsPerBand = 4_000_000;

/** As much of a picture as is measured, rows from its middle, as a view of its own bytes. */
export const middleOf = (picture: Picture): Picture => {
  const rows = Math.min(picture.height, SAMPLED_ROWS);
  const top = Math.floor((picture.height - rows) / 2 / BLOCK) * BLOCK;
  const bottom = top + rows;
  return cutBand(picture, { top, bottom, contextTop: top, contextBottom: bottom });
};

/** The horizontal bands that cover a picture once, aligned and with the context that the model asks for. */
export const bandsOf = (
  { width, height }: Size,
  scale: number,
  { bandAlign, bandHalo, bandRows }: Grid,
): Band[] => {
  const affordable = outputPixelsPerBand / (width * scale * scale);
  // The halo is computed twice; four times its height keeps that below a half.
  const wanted = bandRows || Math.max(affordable, 4 * bandHalo);
  const rows = Math.max(1, Math.floor(wanted / bandAlign)) * bandAlign;
  const bands: Band[] = [];
  for (let top = 0; top < height; top += rows) {
    const bottom = Math.min(top + rows, height);
    bands.push({
      top,
      bottom,
      contextTop: Math.max(0, top - bandHalo),
      contextBottom: Math.min(height, bottom + bandHalo),
    });
  }
  return bands;
};

/** The rows of a band with their context, as a view of the picture's own bytes. */
export const cutBand = (picture: Picture, band: Band): Picture => {
  const stride = strideOf(picture);
  return {
    ...picture,
    height: band.contextBottom - band.contextTop,
    pixels: picture.pixels.subarray(band.contextTop * stride, band.contextBottom * stride),
  };
};

/** Writes an enhanced band, less its context, into its place in the whole. */
export const pasteBand = (whole: Picture, enhanced: Picture, band: Band, scale: number): void => {
  const stride = strideOf(whole);
  const skip = (band.top - band.contextTop) * scale * stride;
  const bytes = (band.bottom - band.top) * scale * stride;
  enhanced.pixels.copy(whole.pixels, band.top * scale * stride, skip, skip + bytes);
};
