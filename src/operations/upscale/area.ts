/** Rectangles of pictures: comparing and copying. Pure, except that `copyArea` writes. */
import { type Picture, type Size, strideOf, type YuvPicture, yuvBytes } from '../../frame.ts';

/** In pixels. In 4:2:0, where a sample of chroma stands for 2 x 2 pixels, x and y are even. */
export type Area = Size & { readonly x: number; readonly y: number };
export type AnyPicture = Picture | YuvPicture;

/** Whether two pictures of the same form and size have the same samples in an area. */
export const comparing = (one: AnyPicture, other: AnyPicture): ((area: Area) => boolean) => {
  const planes = planesOf(one);
  return (area) =>
    planes.every((plane) => {
      const { start, bytes, rows } = linesOf(plane, area);
      // Full lines lie one behind the other: they are compared at once.
      const [length, count] = bytes === plane.stride ? [bytes * rows, 1] : [bytes, rows];
      for (let row = 0; row < count; row += 1) {
        const from = start + row * plane.stride;
        const to = from + length;
        if (one.pixels.compare(other.pixels, from, to, from, to) !== 0) return false;
      }
      return true;
    });
};

/** Copies an area to another place, which may be of a picture of another size. */
export const copyArea = (
  from: AnyPicture,
  area: Area,
  to: AnyPicture,
  { x, y }: Pick<Area, 'x' | 'y'>,
): void => {
  const targets = planesOf(to);
  for (const [i, plane] of planesOf(from).entries()) {
    const target = targets[i];
    if (!target) throw new Error('expected pictures of one form');
    const source = linesOf(plane, area);
    const { start } = linesOf(target, { ...area, x, y });
    for (let row = 0; row < source.rows; row += 1) {
      const at = source.start + row * plane.stride;
      from.pixels.copy(to.pixels, start + row * target.stride, at, at + source.bytes);
    }
  }
};

/** A picture of the same form and this size, whose pixels are still to be written. */
export const emptyLike = <P extends AnyPicture>(picture: P, { width, height }: Size): P => {
  const size = { width, height };
  const bytes = 'channels' in picture ? strideOf({ ...picture, ...size }) * height : yuvBytes(size);
  return { ...picture, ...size, pixels: Buffer.allocUnsafeSlow(bytes) };
};

/** Samples that lie together: `bytes` for each, and one for every `step` pixels across and down. */
type Plane = {
  readonly start: number;
  readonly stride: number;
  readonly step: 1 | 2;
  readonly bytes: number;
};

const planesOf = (picture: AnyPicture): Plane[] => {
  const { width, height } = picture;
  if ('channels' in picture) {
    const stride = strideOf(picture);
    return [{ start: 0, stride, step: 1, bytes: stride / width }];
  }
  const luma = width * height;
  const stride = Math.ceil(width / 2);
  const chroma = { stride, step: 2, bytes: 1 } as const;
  return [
    { start: 0, stride: width, step: 1, bytes: 1 },
    { ...chroma, start: luma },
    { ...chroma, start: luma + stride * Math.ceil(height / 2) },
  ];
};

const linesOf = ({ start, stride, step, bytes }: Plane, { x, y, width, height }: Area) => ({
  start: start + (y / step) * stride + (x / step) * bytes,
  bytes: Math.ceil(width / step) * bytes,
  rows: Math.ceil(height / step),
});
