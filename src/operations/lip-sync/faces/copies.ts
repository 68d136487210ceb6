/** Which face is a larger copy of another one, as in the blurred background of a wide picture in a vertical video: pure. */
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

type Faces = readonly (Sighting | undefined)[];

/** Whether the faces, one of each picture, are a larger copy of the others. */
export const isLargerCopy = (faces: Faces, others: Faces): boolean => {
  const both = faces.flatMap((face, i) => {
    const other = others[i];
    return face && other ? [[face, other] as const] : [];
  });
  if (both.length < LEAST_PICTURES) return false;
  const large = both.map(([face]) => face);
  const small = both.map(([, other]) => other);
  const [wide, narrow] = [meanWidth(large), meanWidth(small)];
  if (wide < WIDER * narrow) return false;
  const [here, there] = [placesOf(large, wide), placesOf(small, narrow)];
  return (
    correlation(large.map(openness), small.map(openness)) > LIKE_LIPS &&
    correlation(here, there) > LIKE_PLACE &&
    deviation(there) < LIKE_MOVEMENT * deviation(here)
  );
};

const openness = ({ opening }: Sighting) => opening;

const meanWidth = (faces: readonly Sighting[]) => mean(faces.map(({ box }) => box[2] - box[0]));

/** How far to the right the middle of each face is, in widths of the face. */
const placesOf = (faces: readonly Sighting[], width: number) =>
  faces.map(({ box }) => (box[0] + box[2]) / 2 / width);
