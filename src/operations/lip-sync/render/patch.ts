/** The patch of a picture that is rendered: its place, cutting and pasting. Pure, except that `putBack`, `paste` and `mix` write. */

import { type Size, type YuvPicture, yuvBytes } from '../../../frame.ts';
import { openMemory } from '../../../memory.ts';
import {
  type Mark,
  type Mouth,
  type MouthRender,
  type Rendered,
  UNMARKED,
} from '../../../triton/clients/mouth-render.ts';
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
export const meshIn = (mesh: Float32Array, { x, y }: Rect): Float32Array => {
  const inPatch = new Float32Array(mesh);
  for (let i = 0; i < mesh.length; i += 3) {
    inPatch[i] = (mesh[i] ?? 0) - x;
    inPatch[i + 1] = (mesh[i + 1] ?? 0) - y;
  }
  return inPatch;
};

/** The mouth that lies in a part of the frame, its pixels in this memory where it is given. */
export const mouthIn = <About extends { readonly mark?: Mark }>(
  frame: YuvPicture,
  mesh: Float32Array,
  { rect, about, memory }: { rect: Rect; about: About; memory?: Buffer },
): Mouth<About> => ({
  patch: cut(frame, rect, memory),
  mesh: meshIn(mesh, rect),
  about,
  ...(about.mark && { mark: markOver(about.mark, rect) }),
});

/** The part of a mark that lies over a part of its picture. */
export const markOver = (mark: Mark, rect: Rect): Buffer => {
  const over = Buffer.alloc(rect.width * rect.height, UNMARKED);
  const from = Math.max(mark.x, rect.x);
  const to = Math.min(mark.x + mark.width, rect.x + rect.width);
  const bottom = Math.min(mark.y + mark.height, rect.y + rect.height);
  for (let row = Math.max(mark.y, rect.y); from < to && row < bottom; row += 1) {
    const first = (row - mark.y) * mark.width - mark.x;
    mark.pixels.copy(over, (row - rect.y) * rect.width + from - rect.x, first + from, first + to);
  }
  return over;
};

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
  const pairs = pairsOf(mask);
  let changed = false;
  let from = 0;
  for (const plane of planesOf(frame, rect)) {
    const pastePlane = plane.width === rect.width ? pasteLuma : pasteChroma;
    if (pastePlane(frame.pixels, plane, { pixels, from, mask, pairs }, share)) changed = true;
    from += plane.width * plane.height;
  }
  return changed;
};

/** A mask by pairs of pixels, which never lie in two rows. Most are 0: so these take half the time. */
const pairsOf = (mask: Buffer): Uint16Array => {
  // In the body of an answer it may begin at an odd byte.
  const { buffer, byteOffset, length } = mask.byteOffset % 2 === 0 ? mask : new Uint8Array(mask);
  return new Uint16Array(buffer, byteOffset, length / 2);
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
  readonly pairs: Uint16Array;
};

type PastePlane = (frame: Buffer, plane: Plane, rendered: RenderedPlane, share: number) => boolean;

const pasteLuma: PastePlane = (frame, { width, height, ...plane }, rendered, share) => {
  const { pixels, from, mask, pairs } = rendered;
  let changed = false;
  for (let row = 0; row < height; row += 1) {
    const to = plane.from + row * plane.stride - row * width;
    for (let pair = (row * width) / 2, end = pair + width / 2; pair < end; pair += 1) {
      if (pairs[pair] === 0) continue;
      for (let at = 2 * pair; at < 2 * pair + 2; at += 1)
        if (mask[at]) frame[to + at] = mixed(share, frame[to + at], pixels[from + at]);
      changed = true;
    }
  }
  return changed;
};

/** A sample covers 2 x 2 pixels of luma, and of the mask: two pairs. */
const pasteChroma: PastePlane = (frame, { width, height, ...plane }, rendered, share) => {
  const { pixels, from, pairs } = rendered;
  let changed = false;
  for (let row = 0; row < height; row += 1) {
    const to = plane.from + row * plane.stride;
    for (let x = 0, pair = 2 * row * width, next = from + row * width; x < width; x += 1) {
      if (pairs[pair + x] === 0 && pairs[pair + width + x] === 0) continue;
      frame[to + x] = mixed(share, frame[to + x], pixels[next + x]);
      changed = true;
    }
  }
  return changed;
};

const mixed = (share: number, was = 0, is = 0): number =>
  share === 1 ? is : Math.round(was + (is - was) * share);

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
