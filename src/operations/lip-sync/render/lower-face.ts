/** Where a new mouth may change a picture: the face below the nose. Pure. */
import type { Size } from '../../../frame.ts';
import { MOUTH_CORNERS } from '../faces/lips.ts';

/** The jaw from ear to ear, by way of the chin, in MediaPipe's order. */
const JAW = [
  ...[234, 93, 132, 58, 172, 136, 150, 149, 176, 148, 152],
  ...[377, 400, 378, 379, 365, 397, 288, 361, 323, 454],
];
/** Back along the cheeks and under the nose. */
const UNDER_THE_NOSE = [425, 327, 2, 98, 205];
/** How far the jaw is moved away from the mouth: a mouth that opens wider than the picture's lowers the chin. */
const JAW_FACTOR = 1.08;

type Point = readonly [x: number, y: number];

/** For each pixel of a patch 255 where it may change, else 0. mesh: in pixels of the patch. */
export const lowerFace = (mesh: Float32Array, { width, height }: Size): Buffer => {
  const outline = outlineOf(mesh);
  const mask = Buffer.alloc(width * height);
  for (let y = 0; y < height; y += 1) {
    const crossings = crossingsAt(outline, y);
    for (let i = 0; i + 1 < crossings.length; i += 2) {
      const from = Math.max(0, Math.ceil(crossings[i] ?? 0));
      const to = Math.min(width - 1, Math.floor(crossings[i + 1] ?? -1));
      if (from <= to) mask.fill(255, y * width + from, y * width + to + 1);
    }
  }
  return mask;
};

const outlineOf = (mesh: Float32Array): Point[] => {
  const at = (point: number): Point => [mesh[point * 3] ?? 0, mesh[point * 3 + 1] ?? 0];
  const [[right, rightY], [left, leftY]] = [at(MOUTH_CORNERS[0]), at(MOUTH_CORNERS[1])];
  const [x, y] = [(right + left) / 2, (rightY + leftY) / 2];
  const away = ([px, py]: Point): Point => [x + (px - x) * JAW_FACTOR, y + (py - y) * JAW_FACTOR];
  return [...JAW.map((point) => away(at(point))), ...UNDER_THE_NOSE.map(at)];
};

/** Where the outline crosses a row of pixels, from left to right. */
const crossingsAt = (outline: readonly Point[], row: number): number[] =>
  outline
    .flatMap(([x, y], i) => {
      const [nextX, nextY] = outline[(i + 1) % outline.length] ?? [x, y];
      return y <= row !== nextY <= row ? [x + ((row - y) / (nextY - y)) * (nextX - x)] : [];
    })
    .sort((a, b) => a - b);
