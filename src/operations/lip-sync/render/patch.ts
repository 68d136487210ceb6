/** The patch of a picture that is rendered: its place, cutting and pasting. Pure, except that `putBack`, `paste` and `mix` write. */

import { type Size, type YuvPicture, yuvBytes } from '../../../frame.ts';
import { openMemory } from '../../../memory.ts';
import type { MouthRender, Rendered } from '../../../triton/clients/mouth-render.ts';
import { EYE_CORNERS, MOUTH_CORNERS } from '../faces/lips.ts';

/** In pixels; all four numbers are even, since a chroma sample of 4:2:0 covers 2 x 2 pixels. */
export type Rect = Size & { readonly x: number; readonly y: number };

export type PatchGeometry = Pick<MouthRender, 'patchSpan' | 'patchDrop' | 'smallestFace'>;

/** Pixels: where less than this of the patch's width or height lies in the picture, it is not rendered. */
const LEAST_SIDE = 16;

/**
 * The part of the square around the mouth that lies in the picture, whose sides are even. null where too little of it does,
 * or where the face is smaller than the renderer takes.
 */
export const patchOf = (
  mesh: Float32Array,
  { width, height }: Size,
  { patchSpan, patchDrop, smallestFace }: PatchGeometry,
): Rect | null => {
  const at = (point: number, axis: number) => mesh[point * 3 + axis] ?? Number.NaN;
  const across = (axis: number) => at(EYE_CORNERS[1], axis) - at(EYE_CORNERS[0], axis);
  const unit = Math.hypot(across(0), across(1), across(2));
  if (unit < smallestFace) return null;
  const middle = (axis: number) => (at(MOUTH_CORNERS[0], axis) + at(MOUTH_CORNERS[1], axis)) / 2;
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
  return size.width >= LEAST_SIDE && size.height >= LEAST_SIDE
    ? { x: left, y: top, ...size }
    : null;
};

/** Patches of a clip differ in size as the face comes and goes: each has memory for one that is a quarter larger. */
export const openPatchMemory = () => openMemory(1.25);

/** The mesh in pixels of the patch. */
export const meshIn = (mesh: Float32Array, { x, y }: Rect): Float32Array =>
  mesh.map((value, i) => value - (i % 3 === 0 ? x : i % 3 === 1 ? y : 0));

/** A copy of a part of the frame, in this memory where it is given. */
export const cut = (
  frame: YuvPicture,
  rect: Rect,
  memory: Buffer = Buffer.allocUnsafe(yuvBytes(rect)),
): YuvPicture => {
  const { width, height } = rect;
  const pixels = memory.subarray(0, yuvBytes(rect));
  let to = 0;
  for (const plane of planesOf(frame, rect)) {
    for (let row = 0; row < plane.height; row += 1) {
      const from = plane.from + row * plane.stride;
      to += frame.pixels.copy(pixels, to, from, from + plane.width);
    }
  }
  return { width, height, pixels };
};

/** Writes back what `cut` took. */
export const putBack = (frame: YuvPicture, rect: Rect, { pixels }: YuvPicture): void => {
  let from = 0;
  for (const plane of planesOf(frame, rect)) {
    for (let row = 0; row < plane.height; row += 1, from += plane.width)
      pixels.copy(frame.pixels, plane.from + row * plane.stride, from, from + plane.width);
  }
};

/**
 * Writes a rendered patch into the frame where its mask is not 0: new = old + share * (rendered - old). Every other byte of
 * the frame stays. Returns whether any byte was written.
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
    const rendered = { pixels, from, mask, maskWidth: rect.width };
    if (pastePlane(frame.pixels, plane, rendered, share)) changed = true;
    from += plane.width * plane.height;
  }
  return changed;
};

/** Mixes another picture of the same size into this one: new = old + share * (other - old). */
export const mix = (frame: YuvPicture, { pixels }: YuvPicture, share: number): void => {
  for (const [i, code] of pixels.entries()) {
    const was = frame.pixels[i] ?? 0;
    frame.pixels[i] = Math.round(was + (code - was) * share);
  }
};

type RenderedPlane = {
  readonly pixels: Buffer;
  /** Where its samples begin among `pixels`. */
  readonly from: number;
  readonly mask: Buffer;
  readonly maskWidth: number;
};

const pastePlane = (
  frame: Buffer,
  plane: Plane,
  { pixels, from, mask, maskWidth }: RenderedPlane,
  share: number,
): boolean => {
  // 2 in the chroma planes: a sample of theirs covers 2 x 2 pixels of luma, and of the mask.
  const step = maskWidth / plane.width;
  let changed = false;
  for (let row = 0, next = from; row < plane.height; row += 1) {
    let at = row * step * maskWidth;
    let to = plane.from + row * plane.stride;
    for (const end = to + plane.width; to < end; to += 1, at += step, next += 1) {
      const below = at + maskWidth;
      if (!mask[at] && (step === 1 || !(mask[at + 1] || mask[below] || mask[below + 1]))) continue;
      const was = frame[to] ?? 0;
      const is = pixels[next] ?? 0;
      frame[to] = share === 1 ? is : Math.round(was + (is - was) * share);
      changed = true;
    }
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
