/** How clearly a face is seen, by which frames of a fade, a flash or too long an exposure are told from the others: pure. */
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
 * Red from which skin counts as burnt out, in codes of limited range, where white is 235: red is the largest channel of skin
 * (docs/decisions/0172).
 */
const BURNT = 228;
/**
 * Of a face's pixels: how much more may be burnt out than in the quarter of the pictures that has the least. It is .08 in 38 clips
 * of even light, .3 to .9 in flashes and while a camera adapts its exposure.
 */
const MORE_BURNT = 0.2;

/** How clearly a face is seen: by it the pictures are chosen that tell how the subject looks. */
export type Clarity = {
  /**
   * The standard deviation of luma, in codes. A picture that is mixed with black, white or another picture has as much less as its
   * share is smaller. Absent in records from before it was stored.
   */
  readonly contrast?: number;
  /** The share of pixels that are burnt out, 0 to 1. Absent in records from before it was stored. */
  readonly burnt?: number;
};

/** The clarity in the middle of a box (x1, y1, x2, y2, in pixels). All 0 where the box is outside the picture. */
export const clarityIn = ({ width, height, pixels }: YuvPicture, box: Box): Required<Clarity> => {
  const columns = places(box[0], box[2], width);
  const rows = places(box[1], box[3], height);
  const count = columns.length * rows.length;
  if (count === 0) return { contrast: 0, burnt: 0 };
  const [chromaWidth, chromaHeight] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  const v = width * height + chromaWidth * chromaHeight;
  let [sum, squares, burnt] = [0, 0, 0];
  for (const y of rows)
    for (const x of columns) {
      const value = pixels[y * width + x] ?? 0;
      const red = pixels[v + (y >> 1) * chromaWidth + (x >> 1)] ?? 128;
      sum += value;
      squares += value * value;
      if (value + 1.4 * (red - 128) >= BURNT) burnt++;
    }
  const contrast = Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
  return { contrast, burnt: burnt / count };
};

/**
 * The faces that are neither fading nor more burnt out than the clip's others, at their indices; null for those that are. What was
 * not stored of a face counts as clear.
 */
export const clearOnes = <T extends Clarity>(faces: readonly (T | null)[]): (T | null)[] => {
  const least = FADED * (quantile(faces, 'contrast', 0.75) ?? 0);
  const most = MORE_BURNT + (quantile(faces, 'burnt', 0.25) ?? 0);
  return faces.map((face) =>
    face && (face.contrast ?? least) >= least && (face.burnt ?? most) <= most ? face : null,
  );
};

const quantile = (faces: readonly (Clarity | null)[], of: keyof Clarity, share: number) => {
  const values = faces.flatMap((face) => face?.[of] ?? []).sort((a, b) => a - b);
  return values[Math.floor(share * values.length)];
};

/** Pixels between two edges of a box along one axis, evenly spread. */
const places = (start: number, end: number, size: number): number[] => {
  const margin = MARGIN * (end - start);
  const first = Math.max(0, Math.round(start + margin));
  const count = Math.min(size, Math.round(end - margin)) - first;
  const step = Math.max(1, Math.ceil(count / MOST));
  return Array.from({ length: Math.max(0, Math.ceil(count / step)) }, (_, i) => first + i * step);
};
