/** Which faces are pictures, as on a poster or a wall, in a clip whose camera stands still: pure. */
import { deviation, mean } from './lips.ts';
import type { Sighting } from './track.ts';

/**
 * What a poster has less of: standard deviations of the opening of its lips, in eye distances, and of its place, in its widths. In
 * 2 s posters have at most .0049 and .0045, people who talk .014 and .0058 or more (docs/decisions/0218).
 */
const [POSTER_LIPS, POSTER_PLACE] = [0.005, 0.005];
/** From this standard deviation of the opening on, lips move as in speech. */
const TALKING_LIPS = 0.01;
/** Share of the pictures in which a face must be seen for larger faces to be left out as posters. */
const OFTEN = 0.5;

/** Of the pictures that show a face. lips: standard deviation of the opening, in eye distances. place: of the middle of its box, in widths. */
export type Motion = { readonly pictures: number; readonly lips: number; readonly place: number };

/** How much one face moves; undefined in pictures that do not show it. */
export const motionOf = (faces: readonly (Sighting | undefined)[]): Motion => {
  const seen = faces.filter((face) => face !== undefined);
  const width = mean(seen.map(({ box }) => box[2] - box[0]));
  const x = deviation(seen.map(({ box }) => (box[0] + box[2]) / 2));
  const y = deviation(seen.map(({ box }) => (box[1] + box[3]) / 2));
  const lips = deviation(seen.map(({ opening }) => opening));
  return { pictures: seen.length, lips, place: Math.hypot(x, y) / width };
};

export const isPoster = ({ lips, place }: Motion): boolean =>
  lips < POSTER_LIPS && place < POSTER_PLACE;

/** Whether a face is seen in much of the clip, which has so many pictures, and its lips move as in speech. */
export const movesLips = ({ lips, pictures: seen }: Motion, pictures: number): boolean =>
  lips >= TALKING_LIPS && seen >= OFTEN * pictures;
