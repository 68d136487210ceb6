/** A patch of an RGB picture to the 4:2:0 that the renderer takes, and what the renderer changed back to RGB. Pure. */
import type { Picture, YuvPicture } from '../../../frame.ts';
import type { Coding, Rendered } from '../../../triton/clients/mouth-render.ts';
import type { Rect } from './patch.ts';

/** Full range: the least is lost on the way. */
export const STILL_CODING: Coding = { kr: 0.2126, kb: 0.0722, fullRange: true };

/** The codes of a rectangle; each chroma sample is the mean of its four pixels. */
export const cutRgb = (picture: Picture, rect: Rect, { kr, kb }: Coding): YuvPicture => {
  const { width, height } = rect;
  const [luma, chroma] = [width * height, (width / 2) * (height / 2)];
  const pixels = Buffer.alloc(luma + 2 * chroma);
  const [us, vs] = [new Float32Array(chroma), new Float32Array(chroma)];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = ((rect.y + y) * picture.width + rect.x + x) * 3;
      const [r = 0, g = 0, b = 0] = picture.pixels.subarray(at, at + 3);
      const code = kr * r + (1 - kr - kb) * g + kb * b;
      pixels[y * width + x] = Math.round(code);
      const to = (y >> 1) * (width / 2) + (x >> 1);
      us[to] = (us[to] ?? 0) + (b - code) / (1 - kb) / 8;
      vs[to] = (vs[to] ?? 0) + (r - code) / (1 - kr) / 8;
    }
  }
  for (let i = 0; i < chroma; i += 1) {
    pixels[luma + i] = byte(128 + (us[i] ?? 0));
    pixels[luma + chroma + i] = byte(128 + (vs[i] ?? 0));
  }
  return { width, height, pixels };
};

/**
 * The picture with a rendered patch in it. Only the change is taken over, so that what the codes cannot hold of the
 * original (full chroma, the last bit) is not lost where nothing changed.
 */
export const pasteRgb = (
  picture: Picture,
  rect: Rect,
  before: YuvPicture,
  { pixels: after, mask }: Rendered,
  { kr, kb }: Coding,
): Picture => {
  const { width, height } = rect;
  const [luma, chroma] = [width * height, (width / 2) * (height / 2)];
  const pixels = Buffer.from(picture.pixels);
  const gain = { r: 2 * (1 - kr), b: 2 * (1 - kb) };
  const change = (at: number) => (after[at] ?? 0) - (before.pixels[at] ?? 0);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * width + x;
      if (!mask[at]) continue;
      const shared = luma + (y >> 1) * (width / 2) + (x >> 1);
      const [dy, du, dv] = [change(at), change(shared), change(shared + chroma)];
      const [dr, db] = [dy + gain.r * dv, dy + gain.b * du];
      const dg = (dy - kr * dr - kb * db) / (1 - kr - kb);
      const to = ((rect.y + y) * picture.width + rect.x + x) * 3;
      pixels[to] = byte((pixels[to] ?? 0) + dr);
      pixels[to + 1] = byte((pixels[to + 1] ?? 0) + dg);
      pixels[to + 2] = byte((pixels[to + 2] ?? 0) + db);
    }
  }
  return { ...picture, pixels };
};

const byte = (value: number): number => Math.min(255, Math.max(0, Math.round(value)));
