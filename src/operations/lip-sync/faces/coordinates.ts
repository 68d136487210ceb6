/** Boxes, points and meshes between a picture of the clip and the smaller copy that faces are tracked in: pure. */
import type { Size } from '../../../frame.ts';
import type { Box } from '../../../triton/clients/face-track.ts';

/** The shortest side of a hint, in pixels of the smaller picture. */
const LEAST_HINT = 4;

/** How many times as wide and as high the larger picture is. */
export type ScaleFactors = { readonly x: number; readonly y: number };

/** The median of the boxes' widths; undefined where there is none. */
export const medianWidth = (boxes: readonly (Box | null)[]): number | undefined => {
  const widths = boxes.flatMap((box) => (box ? [box[2] - box[0]] : [])).sort((a, b) => a - b);
  return widths[widths.length >> 1];
};

export const scaleTo = (large: Size, small: Size): ScaleFactors => ({
  x: large.width / small.width,
  y: large.height / small.height,
});

/**
 * The box in pixels of the smaller picture. None where no face can fill it: a side below 4 pixels there, or one more than
 * twice as long as the picture.
 */
export const hintIn = (small: Size, box: Box | null | undefined, { x, y }: ScaleFactors): Box[] => {
  if (!box) return [];
  const hint = scaledBox(box, 1 / x, 1 / y);
  const [x1, y1, x2, y2] = hint;
  const [side, most] = [Math.max(x2 - x1, y2 - y1), 2 * Math.max(small.width, small.height)];
  return Math.min(x2 - x1, y2 - y1) >= LEAST_HINT && side <= most ? [hint] : [];
};

/** The point in pixels of the smaller picture, as a box without extent. */
export const pointIn = (
  { x, y }: { readonly x: number; readonly y: number },
  scale: ScaleFactors,
): Box => {
  const [left, top] = [x / scale.x, y / scale.y];
  return [left, top, left, top];
};

export const scaledBox = ([x1, y1, x2, y2]: Box, x: number, y: number): Box => [
  x1 * x,
  y1 * y,
  x2 * x,
  y2 * y,
];

/**
 * The mesh in pixels of the larger picture. The tracker counts from the edge of the first pixel, the renderer, like OpenCV,
 * from its middle: hence the half pixel.
 */
export const scaledMesh = (mesh: Float32Array, { x, y }: ScaleFactors): Float32Array => {
  const scaled = new Float32Array(mesh.length);
  for (let i = 0; i < mesh.length; i += 3) {
    scaled[i] = (mesh[i] ?? 0) * x - 0.5;
    scaled[i + 1] = (mesh[i + 1] ?? 0) * y - 0.5;
    scaled[i + 2] = (mesh[i + 2] ?? 0) * x;
  }
  return scaled;
};

/** Intersection over union of two boxes, 0..1. */
export const intersectionOverUnion = (a: Box, b: Box): number => {
  const area = ([x1, y1, x2, y2]: Box) => Math.max(0, x2 - x1) * Math.max(0, y2 - y1);
  const intersection = area([
    ...[Math.max(a[0], b[0]), Math.max(a[1], b[1])],
    ...[Math.min(a[2], b[2]), Math.min(a[3], b[3])],
  ] as const);
  return intersection / Math.max(1e-9, area(a) + area(b) - intersection);
};
