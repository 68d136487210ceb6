/** What a viewer would see, as numbers. Pure. Codes are 8-bit; lengths are in outer-eye distances. */
import type { YuvPicture } from '../../src/frame.ts';

/** A frame's part that was rendered anew: as it was, as it is, and the mask's shares, 0..255. */
export type Patch = {
  readonly index: number;
  readonly mask: Buffer;
  /** In pixels of the patch. */
  readonly mesh: Float32Array;
  readonly before: YuvPicture;
  readonly after: YuvPicture;
};
export type Colour = readonly [y: number, u: number, v: number];
type Where = (x: number, y: number) => boolean;

const INNER = [
  ...[78, 191, 80, 81, 82, 13, 312, 311, 310, 415],
  ...[308, 324, 318, 402, 317, 14, 87, 178, 88, 95],
];
const OUTER = [
  ...[61, 185, 40, 39, 37, 0, 267, 269, 270, 409],
  ...[291, 375, 321, 405, 314, 17, 84, 181, 91, 146],
];
/** Pixels either side of the mask's outline. */
const RING = 2;

const apart = (mesh: Float32Array, a: number, b: number): number =>
  Math.hypot(...[0, 1, 2].map((axis) => (mesh[a * 3 + axis] ?? 0) - (mesh[b * 3 + axis] ?? 0)));

export const openingOf = (mesh: Float32Array): number => apart(mesh, 13, 14) / apart(mesh, 33, 263);

/** Of both lips together. */
export const thicknessOf = (mesh: Float32Array): number =>
  (apart(mesh, 0, 13) + apart(mesh, 14, 17)) / apart(mesh, 33, 263);

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

export const deviation = (values: readonly number[]): number => {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
};

/** Mean size of the second difference: what trembles from frame to frame. */
export const trembling = (values: readonly number[]): number =>
  mean(
    values
      .slice(2)
      .map((value, i) => Math.abs(value - 2 * (values[i + 1] ?? 0) + (values[i] ?? 0))),
  );

/** Mean slope of the luma, codes a pixel. */
export const sharpness = (picture: YuvPicture, where: Where): number => {
  const slopes: number[] = [];
  each(picture, (x, y) => {
    if (where(x, y)) slopes.push(slope(picture, x, y));
  });
  return mean(slopes);
};

/** How much stronger the luma's slope became along the mask's outline, in shares of what it was there: 0 = no edge was added. */
export const seam = ({ before, after, mask }: Patch): number => {
  const { width, height } = before;
  // Loops: arrays for each pixel would take as long as the rendering.
  const isOnOutline = (x: number, y: number): boolean => {
    let [known, within] = [0, 0];
    for (let b = y - RING; b <= y + RING; b += RING)
      for (let a = x - RING; a <= x + RING; a += RING) {
        if (a < 0 || b < 0 || a >= width || b >= height) continue;
        known += 1;
        if ((mask[b * width + a] ?? 0) > 0) within += 1;
      }
    return within > 0 && within < known;
  };
  let [added, was] = [0, 0];
  each(before, (x, y) => {
    if (!isOnOutline(x, y)) return;
    const old = slope(before, x, y);
    added += Math.max(0, slope(after, x, y) - old);
    was += old;
  });
  return added / Math.max(was, 1);
};

/** How far the mean colour of the skin moved that lies just inside the mask's outline. */
export const rimShift = ({ before, after, mask }: Patch): Colour => {
  const { width, height } = before;
  const reach = Math.max(2, Math.round(width * 0.05));
  const inside = (x: number, y: number) =>
    x < 0 || y < 0 || x >= width || y >= height || (mask[y * width + x] ?? 0) > 0;
  const rim: Where = (x, y) =>
    inside(x, y) &&
    !(inside(x - reach, y) && inside(x + reach, y) && inside(x, y - reach) && inside(x, y + reach));
  const [was, is] = [colourOf(before, rim), colourOf(after, rim)];
  return [is[0] - was[0], is[1] - was[1], is[2] - was[2]];
};

type Outlines = {
  /** The red of the lips. */
  readonly lips: Where;
  /** Of that, what is more than 2 pixels from where they meet when shut: the line there is dark on everybody. */
  readonly besideTheLine: Where;
  readonly inside: Where;
};

/** Which pixels are the lips, and which are between them. */
export const outlines = (mesh: Float32Array): Outlines => {
  const [outer, inner] = [outlined(mesh, OUTER), outlined(mesh, INNER)];
  const lips: Where = (x, y) => outer(x, y) && !inner(x, y);
  const line = INNER.flatMap((point, i) => {
    const next = INNER[(i + 1) % INNER.length] ?? point;
    const at = (axis: 0 | 1, way: number) =>
      (1 - way) * (mesh[point * 3 + axis] ?? 0) + way * (mesh[next * 3 + axis] ?? 0);
    return [0, 0.25, 0.5, 0.75].map((way) => [at(0, way), at(1, way)] as const);
  });
  const isBeside: Where = (x, y) => line.every(([a, b]) => Math.hypot(x - a, y - b) > 2);
  return { lips, besideTheLine: (x, y) => lips(x, y) && isBeside(x, y), inside: inner };
};

const each = ({ width, height }: YuvPicture, act: (x: number, y: number) => void): void => {
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) act(x, y);
};

const slope = ({ width, height, pixels }: YuvPicture, x: number, y: number): number => {
  const luma = (a: number, b: number) =>
    pixels[Math.min(height - 1, Math.max(0, b)) * width + Math.min(width - 1, Math.max(0, a))] ?? 0;
  return Math.hypot(luma(x + 1, y) - luma(x - 1, y), luma(x, y + 1) - luma(x, y - 1)) / 2;
};

const colourOf = (picture: YuvPicture, where: Where): Colour => {
  const { width, height, pixels } = picture;
  const [half, area] = [width / 2, width * height];
  let [y, u, v, count] = [0, 0, 0, 0];
  each(picture, (a, b) => {
    if (!where(a, b)) return;
    const chroma = area + (b >> 1) * half + (a >> 1);
    y += pixels[b * width + a] ?? 0;
    u += pixels[chroma] ?? 0;
    v += pixels[chroma + area / 4] ?? 0;
    count += 1;
  });
  return [y / count, u / count, v / count];
};

/** Whether a pixel lies within the outline that these points of the mesh make. */
const outlined = (mesh: Float32Array, points: readonly number[]): Where => {
  const corners = points.map((point) => [mesh[point * 3] ?? 0, mesh[point * 3 + 1] ?? 0] as const);
  const bounds = (axis: 0 | 1) => corners.map((corner) => corner[axis]);
  const [left, right] = [Math.min(...bounds(0)), Math.max(...bounds(0))];
  const [top, bottom] = [Math.min(...bounds(1)), Math.max(...bounds(1))];
  return (x, y) => {
    if (x < left || x > right || y < top || y > bottom) return false;
    let odd = false;
    for (const [i, [ax, ay]] of corners.entries()) {
      const [bx, by] = corners[(i + 1) % corners.length] ?? [ax, ay];
      if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) odd = !odd;
    }
    return odd;
  };
};
