/** YUV samples that differ outside of the mask: there must be none. */
import type { YuvPicture } from '../../src/frame.ts';

export type Area = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** width x height bytes; 0: the pixel must not change. */
  readonly mask: Buffer;
};

/**
 * How many samples differ: of luma those outside of the mask, of chroma those of whose 2 x 2 pixels none is in it. Without an
 * area every sample counts.
 */
export const changedOutside = (
  before: YuvPicture,
  after: YuvPicture,
  area: Area | null,
): number => {
  const { width, height } = before;
  const half = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) };
  const luma = width * height;
  const chroma = half.width * half.height;
  const small = area && halved(area);
  return (
    differing(before.pixels, after.pixels, 0, { width, height }, area) +
    differing(before.pixels, after.pixels, luma, half, small) +
    differing(before.pixels, after.pixels, luma + chroma, half, small)
  );
};

const differing = (
  before: Buffer,
  after: Buffer,
  start: number,
  { width, height }: { readonly width: number; readonly height: number },
  area: Area | null,
): number => {
  let count = 0;
  for (let y = 0; y < height; y += 1) {
    const row = start + y * width;
    if (before.compare(after, row, row + width, row, row + width) === 0) continue;
    for (let x = 0; x < width; x += 1)
      if (before[row + x] !== after[row + x] && !masked(area, x, y)) count += 1;
  }
  return count;
};

const masked = (area: Area | null, x: number, y: number): boolean => {
  if (!area || x < area.x || y < area.y) return false;
  if (x >= area.x + area.width || y >= area.y + area.height) return false;
  return area.mask[(y - area.y) * area.width + x - area.x] !== 0;
};

/** The mask of the chroma samples: set where any of the 2 x 2 luma pixels is. x and y of the area are even. */
const halved = ({ x, y, width, height, mask }: Area): Area => {
  const small = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) };
  const any = Buffer.alloc(small.width * small.height);
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1)
      if (mask[row * width + column]) any[(row >> 1) * small.width + (column >> 1)] = 255;
  return { x: x / 2, y: y / 2, ...small, mask: any };
};
