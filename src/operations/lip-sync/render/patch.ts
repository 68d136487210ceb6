/** The rectangle of a picture that is rendered anew: where it lies, cut out and put back. Pure but for `paste` and `mix`, which write. */
import type { Size, YuvPicture } from '../../../frame.ts';
import type { MouthRender, Rendered } from '../../../triton/clients/mouth-render.ts';

/** In pixels; all four are even, so that chroma is cut where luma is. */
export type Rect = Size & { readonly x: number; readonly y: number };

type Renderable = Pick<MouthRender, 'patchSpan' | 'patchDrop' | 'smallestFace'>;

/** Corners of eyes and mouth in a mesh. */
const EYES = [33, 263] as const;
const MOUTH = [61, 291] as const;
/** A smaller rest at the picture's border is not worth a rendering. */
const LEAST = 16;

/**
 * The square round the mouth, as far as the picture has it; null when the mouth is beyond its border, or the face too small
 * to be rendered. Sides of the picture are even.
 */
export const patchOf = (
  mesh: Float32Array,
  { width, height }: Size,
  { patchSpan, patchDrop, smallestFace }: Renderable,
): Rect | null => {
  const at = (point: number, axis: number) => mesh[point * 3 + axis] ?? Number.NaN;
  const across = (axis: number) => at(EYES[1], axis) - at(EYES[0], axis);
  const unit = Math.hypot(across(0), across(1), across(2));
  if (unit < smallestFace) return null;
  const middle = (axis: number) => (at(MOUTH[0], axis) + at(MOUTH[1], axis)) / 2;
  const half = (patchSpan / 2) * unit;
  const [x, y] = [middle(0), middle(1) + patchDrop * unit];
  const clip = (value: number, most: number) => Math.min(most, Math.max(0, value));
  const down = (value: number) => 2 * Math.floor(value / 2);
  const left = clip(down(x - half), width);
  const top = clip(down(y - half), height);
  const size = {
    width: clip(down(x + half) + 2, width) - left,
    height: clip(down(y + half) + 2, height) - top,
  };
  return size.width >= LEAST && size.height >= LEAST ? { x: left, y: top, ...size } : null;
};

/** The mesh in pixels of the patch. */
export const meshIn = (mesh: Float32Array, { x, y }: Rect): Float32Array =>
  mesh.map((value, i) => value - (i % 3 === 0 ? x : i % 3 === 1 ? y : 0));

export const cut = (frame: YuvPicture, rect: Rect): YuvPicture => {
  const { width, height } = rect;
  const pixels = Buffer.allocUnsafe((width * height * 3) / 2);
  let to = 0;
  for (const plane of planesOf(frame, rect)) {
    for (let row = 0; row < plane.height; row += 1) {
      const from = plane.from + row * plane.stride;
      to += frame.pixels.copy(pixels, to, from, from + plane.width);
    }
  }
  return { width, height, pixels };
};

/**
 * Puts a rendered patch back where its mask is not 0, mixed with what was there when `share` is below 1. Every other
 * byte of the frame stays. Returns whether anything was put.
 */
export const paste = (
  frame: YuvPicture,
  rect: Rect,
  { pixels, mask }: Rendered,
  share: number,
): boolean => {
  let changed = false;
  let from = 0;
  for (const plane of planesOf(frame, rect)) {
    // A chroma sample belongs to two by two pixels of luma.
    const step = rect.width / plane.width;
    for (let row = 0; row < plane.height; row += 1, from += plane.width) {
      const at = row * step * rect.width;
      const under = mask.subarray(at, at + step * rect.width);
      const to = plane.from + row * plane.stride;
      const line = frame.pixels.subarray(to, to + plane.width);
      if (pasteLine(line, pixels.subarray(from, from + plane.width), under, step, share))
        changed = true;
    }
  }
  return changed;
};

/** Mixes another picture of the same size into this one: `share` of what is seen is its. */
export const mix = (frame: YuvPicture, { pixels }: YuvPicture, share: number): void => {
  for (const [i, code] of pixels.entries()) {
    const was = frame.pixels[i] ?? 0;
    frame.pixels[i] = Math.round(was + (code - was) * share);
  }
};

/** One line of a plane, under one line of the mask, or two. */
const pasteLine = (
  line: Buffer,
  rendered: Buffer,
  under: Buffer,
  step: number,
  share: number,
): boolean => {
  const below = under.length / step;
  let changed = false;
  for (let i = 0, at = 0; i < line.length; i += 1, at += step) {
    if (
      !under[at] &&
      (step === 1 || !(under[at + 1] || under[at + below] || under[at + below + 1]))
    )
      continue;
    const was = line[i] ?? 0;
    const is = rendered[i] ?? 0;
    line[i] = share === 1 ? is : Math.round(was + (is - was) * share);
    changed = true;
  }
  return changed;
};

type Plane = Size & { readonly from: number; readonly stride: number };

/** The part of each plane that a rectangle covers. */
const planesOf = ({ width, height }: Size, rect: Rect): Plane[] => {
  const luma = { ...rect, from: rect.y * width + rect.x, stride: width };
  const chroma = (start: number): Plane => ({
    width: rect.width / 2,
    height: rect.height / 2,
    from: start + (rect.y / 2) * (width / 2) + rect.x / 2,
    stride: width / 2,
  });
  const area = width * height;
  return [luma, chroma(area), chroma(area * 1.25)];
};
