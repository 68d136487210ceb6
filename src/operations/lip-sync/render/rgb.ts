/** Rectangles of pictures whose pixels lie one after the other: RGB, or luma alone. Pure. */
import type { Picture, Size, YuvPicture } from '../../../frame.ts';
import type { Box } from '../../../triton/clients/face-track.ts';
import type { FaceCut } from '../../../triton/clients/mouth-render.ts';
import type { Rect } from './patch.ts';

type Pixels = Size & { readonly channels: number; readonly pixels: Buffer };

/** The bytes of a rectangle, row after row. */
export const cutPixels = ({ width, channels, pixels }: Pixels, rect: Rect): Buffer => {
  const row = rect.width * channels;
  const part = Buffer.allocUnsafe(row * rect.height);
  for (let y = 0; y < rect.height; y += 1) {
    const from = ((rect.y + y) * width + rect.x) * channels;
    pixels.copy(part, y * row, from, from + row);
  }
  return part;
};

/** A copy of the picture, in memory of its length, with these bytes in a rectangle. */
export const withPixels = (picture: Picture, rect: Rect, part: Buffer, pixels: Buffer): Picture => {
  picture.pixels.copy(pixels);
  const row = rect.width * picture.channels;
  for (let y = 0; y < rect.height; y += 1) {
    const to = ((rect.y + y) * picture.width + rect.x) * picture.channels;
    part.copy(pixels, to, y * row, (y + 1) * row);
  }
  return { ...picture, pixels };
};

/** Longer sides of the box that the square round a face is wide: the model looks at 1.2 of them. */
const SIDES = 1.25;

/** The square round a face, as far as the picture has it, and its box in it. */
export const cutFace = (picture: Picture | YuvPicture, box: Box): FaceCut => {
  const { width, height } = picture;
  const [left, top, right, bottom] = box;
  const half = (SIDES / 2) * Math.max(right - left, bottom - top);
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const within = (value: number, most: number) => Math.min(most, Math.max(0, Math.round(value)));
  // At least a pixel of the picture, however far beyond its border the face lies.
  const rect = { x: within(x - half, width - 1), y: within(y - half, height - 1) };
  const size = {
    width: Math.max(1, within(x + half, width) - rect.x),
    height: Math.max(1, within(y + half, height) - rect.y),
  };
  const channels = 'channels' in picture ? picture.channels : 1;
  const pixels = cutPixels({ ...picture, channels }, { ...rect, ...size });
  return {
    ...size,
    channels,
    pixels,
    box: [left - rect.x, top - rect.y, right - rect.x, bottom - rect.y],
  };
};
