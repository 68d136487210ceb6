import { type Picture, type Size, strideOf } from '../../frame.ts';
import type { Upscaler } from '../../triton/clients/upscaler.ts';
import { copyArea, emptyLike } from './area.ts';

/** Rows and columns of a picture: what a band answers for, and what travels with it as context. */
export type Band = {
  readonly top: number;
  readonly bottom: number;
  readonly contextTop: number;
  readonly contextBottom: number;
  readonly left: number;
  readonly right: number;
  readonly contextLeft: number;
  readonly contextRight: number;
};

type Grid = Pick<Upscaler, 'bandAlign' | 'bandHalo' | 'bandRows'> &
  Partial<Pick<Upscaler, 'bandColumns' | 'bandAfter'>>;

/** How many rows are measured, as in the model (_SIDE in enhance/upscale/damage.py); they begin where a JPEG's blocks do. */
const SAMPLED_ROWS = 512;
const BLOCK = 8;

/** Output pixels that take a second or two on a laptop: short enough to cancel, long enough to be efficient. */
const outputPixelsPerBand = 4_000_000;

/** As much of a picture as is measured, rows from its middle, as a view of its own bytes. */
export const middleOf = (picture: Picture): Picture => {
  const rows = Math.min(picture.height, SAMPLED_ROWS);
  const top = Math.floor((picture.height - rows) / 2 / BLOCK) * BLOCK;
  const stride = strideOf(picture);
  const pixels = picture.pixels.subarray(top * stride, (top + rows) * stride);
  return { ...picture, height: rows, pixels };
};

/**
 * The bands that cover a picture once, aligned and with the context that the model asks for: as wide as the picture, or
 * for a slow model pieces of that. Pieces go along the shorter side first, so that the model remembers few.
 */
export const bandsOf = (
  { width, height }: Size,
  scale: number,
  { bandAlign, bandHalo, bandRows, bandColumns = 0, bandAfter }: Grid,
): Band[] => {
  const affordable = outputPixelsPerBand / (width * scale * scale);
  // The halo is computed twice; four times its height keeps that below a half.
  const wanted = bandRows || Math.max(affordable, 4 * bandHalo);
  const step = Math.max(1, Math.floor(wanted / bandAlign)) * bandAlign;
  const context = [bandHalo, bandAfter?.(scale) ?? bandHalo] as const;
  const rows = spansOf(height, step, context).map(([top, bottom, contextTop, contextBottom]) => ({
    top,
    bottom,
    contextTop,
    contextBottom,
  }));
  const columns = spansOf(width, bandColumns || width, context).map(
    ([left, right, contextLeft, contextRight]) => ({ left, right, contextLeft, contextRight }),
  );
  return height < width
    ? columns.flatMap((column) => rows.map((row) => ({ ...row, ...column })))
    : rows.flatMap((row) => columns.map((column) => ({ ...row, ...column })));
};

/** From, to, and both with their context: pieces of at most `step` that cover a length once. */
const spansOf = (
  length: number,
  step: number,
  [before, after]: readonly [number, number],
): (readonly [number, number, number, number])[] =>
  Array.from({ length: Math.ceil(length / step) }, (_, at) => {
    const from = at * step;
    const to = Math.min(from + step, length);
    return [from, to, Math.max(0, from - before), Math.min(length, to + after)] as const;
  });

/** A band with its context; of whole rows a view of the picture's own bytes. */
export const cutBand = (
  picture: Picture,
  { contextTop, contextBottom, contextLeft, contextRight }: Band,
): Picture => {
  const stride = strideOf(picture);
  const size = { width: contextRight - contextLeft, height: contextBottom - contextTop };
  if (size.width === picture.width) {
    const rows = picture.pixels.subarray(contextTop * stride, contextBottom * stride);
    return { ...picture, height: size.height, pixels: rows };
  }
  const band = emptyLike(picture, size);
  copyArea(picture, { x: contextLeft, y: contextTop, ...size }, band, { x: 0, y: 0 });
  return band;
};

/** Writes an enhanced band, less its context, into its place in the whole. */
export const pasteBand = (whole: Picture, enhanced: Picture, band: Band, scale: number): void => {
  const { top, bottom, left, right, contextTop, contextLeft } = band;
  const area = {
    x: (left - contextLeft) * scale,
    y: (top - contextTop) * scale,
    width: (right - left) * scale,
    height: (bottom - top) * scale,
  };
  copyArea(enhanced, area, whole, { x: left * scale, y: top * scale });
};
