/** How much contrast a face has, by which frames of a fade are told from the others: pure. */
import type { YuvPicture } from '../../../frame.ts';
import type { Box } from '../../../triton/clients/face-track.ts';

/** What is left out at each side of a face's box, as shares of its width and height: there may be background. */
const MARGIN = 0.2;
/** Rows and columns of pixels that are looked at, at most. */
const MOST = 64;
/**
 * Of the contrast that the clearest quarter of the pictures have at least: below it a picture is fading. It is .76 and more in
 * the frames of 14 clips of people who talk and turn.
 */
const FADED = 0.65;

/**
 * The standard deviation of luma, in codes, in the middle of a box (x1, y1, x2, y2, in pixels of the picture). A picture that is
 * mixed with black, white or another picture has as much less as its share is smaller. 0 where the box is outside the picture.
 */
export const contrastIn = ({ width, height, pixels }: YuvPicture, box: Box): number => {
  const columns = places(box[0], box[2], width);
  const rows = places(box[1], box[3], height);
  const count = columns.length * rows.length;
  if (count === 0) return 0;
  let [sum, squares] = [0, 0];
  for (const y of rows)
    for (const x of columns) {
      const value = pixels[y * width + x] ?? 0;
      sum += value;
      squares += value * value;
    }
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
};

/** The faces that are not fading, at their indices; null for those that are. A face without a contrast counts as clear. */
export const clearOnes = <T extends { readonly contrast?: number }>(
  faces: readonly (T | null)[],
): (T | null)[] => {
  const contrasts = faces.flatMap((face) => face?.contrast ?? []).sort((a, b) => a - b);
  const least = FADED * (contrasts[Math.floor(0.75 * contrasts.length)] ?? 0);
  return faces.map((face) => (face && (face.contrast ?? least) >= least ? face : null));
};

/** Pixels between two edges of a box along one axis, evenly spread. */
const places = (start: number, end: number, size: number): number[] => {
  const margin = MARGIN * (end - start);
  const first = Math.max(0, Math.round(start + margin));
  const count = Math.min(size, Math.round(end - margin)) - first;
  const step = Math.max(1, Math.ceil(count / MOST));
  return Array.from({ length: Math.max(0, Math.ceil(count / step)) }, (_, i) => first + i * step);
};
