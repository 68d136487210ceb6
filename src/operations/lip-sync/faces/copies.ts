/** Which face is a larger copy of another one, as in the blurred background of a vertical video (decision 245). Pure. */
import type { Size } from '../../../frame.ts';
import { correlation, deviation, mean } from './lips.ts';
import type { Sighting } from './track.ts';

/** Pictures in which both must be seen. */
const LEAST_PICTURES = 20;
/** How much wider a copy is, at least: a square picture that fills a vertical one grows by 1.78, a wide one by 3.16. */
const WIDER = 1.5;
/** Correlations of the lips' openings and of the places: copies have .82 and .96 or more, mirror images -.99 of places. */
const [LIKE_LIPS, LIKE_PLACE] = [0.7, 0.85];
/**
 * How much farther the smaller face moves, in widths of its own: 1.1 to 1.3 times as far as its copy. Where the camera moves,
 * other people move as much farther as they are smaller.
 */
const LIKE_MOVEMENT = 1.4;
/**
 * Where the point of the picture may lie that is at the same place in the copy, as shares of the width and the height: in the middle,
 * or some way up or down. A screen that shows the speaker, or the whole studio, has it elsewhere.
 */
const [MIDDLE_X, MIDDLE_Y] = [
  [0.4, 0.6],
  [0.2, 0.8],
] as const;

type Faces = readonly (Sighting | undefined)[];

/** Whether the faces, one of each picture of that size, are a larger copy of the others, about the middle of the picture. */
export const isLargerCopy = (faces: Faces, others: Faces, { width, height }: Size): boolean => {
  const both = faces.flatMap((face, i) => {
    const other = others[i];
    return face && other ? [[face, other] as const] : [];
  });
  if (both.length < LEAST_PICTURES) return false;
  const large = both.map(([face]) => face);
  const small = both.map(([, other]) => other);
  const [wide, narrow] = [meanWidth(large), meanWidth(small)];
  if (wide < WIDER * narrow) return false;
  const scale = wide / narrow;
  if (!isWithin(sharedPlace(large, small, scale, 0) / width, MIDDLE_X)) return false;
  if (!isWithin(sharedPlace(large, small, scale, 1) / height, MIDDLE_Y)) return false;
  const [here, there] = [placesOf(large, wide), placesOf(small, narrow)];
  return (
    correlation(large.map(openness), small.map(openness)) > LIKE_LIPS &&
    correlation(here, there) > LIKE_PLACE &&
    deviation(there) < LIKE_MOVEMENT * deviation(here)
  );
};

/** Where the copy, larger by that scale, shows the same as the picture before it, in pixels along an axis (0: x, 1: y). */
const sharedPlace = (
  large: readonly Sighting[],
  small: readonly Sighting[],
  scale: number,
  axis: 0 | 1,
) => {
  const middle = (faces: readonly Sighting[]) =>
    mean(faces.map(({ box }) => (box[axis] + box[axis === 0 ? 2 : 3]) / 2));
  return (scale * middle(small) - middle(large)) / (scale - 1);
};

const isWithin = (place: number, [from, to]: readonly [number, number]) =>
  place >= from && place <= to;

const openness = ({ opening }: Sighting) => opening;

const meanWidth = (faces: readonly Sighting[]) => mean(faces.map(({ box }) => box[2] - box[0]));

/** How far to the right the middle of each face is, in widths of the face. */
const placesOf = (faces: readonly Sighting[], width: number) =>
  faces.map(({ box }) => (box[0] + box[2]) / 2 / width);
