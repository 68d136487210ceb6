import type { Size } from '../frame.ts';
import type { Colour, Ratio } from './info.ts';

/** A decoded picture as ffmpeg's showinfo filter tells of it. */
export type Shown = {
  /** In ticks of the filter's clock; null where the stream gave the picture no time. */
  readonly pts: number | null;
  readonly size: Size;
  readonly sampleAspect: Ratio;
  readonly pixelFormat: string;
  readonly interlaced: boolean;
};

/** The picture that a line of showinfo tells of, or null for any other line. */
export const parseShown = (line: string): Shown | null => {
  const [, pts] = /showinfo.* n: *\d+ pts: *(-?\d+|NOPTS) /.exec(line) ?? [];
  const [, pixelFormat] = / fmt:(\S+) /.exec(line) ?? [];
  const [, num, den, width, height, scan] =
    / sar:(\d+)\/(\d+) s:(\d+)x(\d+) i:(\S)/.exec(line) ?? [];
  if (!pts || !pixelFormat || !scan) return null;
  return {
    pts: pts === 'NOPTS' ? null : Number(pts),
    size: { width: Number(width), height: Number(height) },
    sampleAspect: { num: Number(num) || 1, den: Number(num) ? Number(den) : 1 },
    pixelFormat,
    interlaced: scan !== 'P',
  };
};

/** Seconds per tick, from the line that showinfo writes before its first picture. */
export const parseClock = (line: string): Ratio | null => {
  const [, num, den] = /showinfo.* config in time_base: (\d+)\/(\d+)/.exec(line) ?? [];
  return num && den ? { num: Number(num), den: Number(den) } : null;
};

/** The colour line that follows a picture's line; absent tags are null. */
export const parseColour = (line: string): Colour | null => {
  const [, range, matrix, primaries, transfer] =
    /color_range:(\S+) color_space:(\S+) color_primaries:(\S+) color_trc:(\S+)/.exec(line) ?? [];
  if (!range) return null;
  return {
    fullRange: range === 'pc',
    matrix: known(matrix),
    primaries: known(primaries),
    transfer: known(transfer),
  };
};

const known = (name = 'unknown'): string | null =>
  ['unknown', 'unspecified', 'reserved'].includes(name) ? null : name;
