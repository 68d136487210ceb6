/** Which person's mouth moves: pure. */

import { Failure } from '../../../errors.ts';
import type { Size } from '../../../frame.ts';
import type { Box } from '../../../triton/clients/face-track.ts';
import type { Heard } from '../../../triton/clients/speech.ts';
import type { Speaker } from '../request.ts';
import { intersectionOverUnion } from './coordinates.ts';
import { isLargerCopy } from './copies.ts';
import { hasSpeech, type Opening } from './lips.ts';
import { isPoster, motionOf, movesLips } from './posters.ts';
import { lipSpeed, talkScore } from './talking.ts';
import type { Sighting } from './track.ts';

type Sightings = readonly (readonly Sighting[])[];

/** A face that is seen in fewer pictures is taken for an error of the detector. */
const LEAST_PICTURES = 5;
/** From this intersection over union on, a face is the one that a caller's box names. */
const SAME_BOX = 0.3;
/** A person with a talk score (talking.ts: 0..3) below this does not talk. */
const LEAST_TALK = 0.3;
/** A face that reaches this share of the highest talk score, or of the largest size, counts as equal to the first. */
const EQUAL_TALK = 0.85;
const EQUAL_SIZE = 0.8;
/** A mirror image moves its lips as fast as the person does, give or take what the mesh trembles. */
const EQUAL_SPEED = 0.8;

/** How it is decided who talks: by the times and the size of the pictures, and by what is heard in the clip's own sound, if it has one. */
type ClipSpeech = {
  readonly times: readonly number[];
  readonly size: Size;
  readonly own: Heard | null;
};

/** How many people are seen. */
export const countFaces = (sightings: Sightings): number => {
  const seen = [...sumsById(sightings, () => 1).values()];
  return seen.filter((pictures) => pictures >= Math.min(LEAST_PICTURES, sightings.length)).length;
};

/**
 * The speaker's face in each picture, null where it is not seen. `auto` looks at the first `shown` pictures, which are those of
 * the output. Larger copies of a face are left out, and faces on posters where the lips of another face move; of the others it
 * chooses in this order: the highest talk score, times the share of the pictures that show the person; the largest width,
 * summed over the pictures; the fastest lips; of equally fast ones the larger. Throws speaker_not_found when no face is where
 * the caller says.
 */
export const chooseFace = (
  sightings: Sightings,
  speaker: Speaker,
  shown = sightings.length,
  speech: ClipSpeech | null = null,
): (Sighting | null)[] => {
  if ('boxes' in speaker) {
    const chosen = inBoxes(sightings, speaker.boxes);
    if (chosen.some((face) => face !== null)) return chosen;
    throw new Failure('speaker_not_found', { reason: 'none of the boxes contains a face' });
  }
  const id =
    'frame' in speaker ? idAt(sightings, speaker) : idOfTalker(sightings.slice(0, shown), speech);
  return sightings.map((faces) => faces.find((face) => face.id === id) ?? null);
};

/** For each picture the face that matches its box best; null where none does. */
export const inBoxes = (
  sightings: Sightings,
  boxes: readonly (Box | null)[],
): (Sighting | null)[] =>
  sightings.map((faces, i) => {
    const box = boxes[i];
    if (!box) return null;
    const best = highest(faces, (face) => intersectionOverUnion(face.box, box));
    return best && intersectionOverUnion(best.box, box) >= SAME_BOX ? best : null;
  });

const idAt = (
  sightings: Sightings,
  { frame, x, y }: { readonly frame: number; readonly x: number; readonly y: number },
): number => {
  const around = (sightings[frame] ?? []).filter(
    ({ box: [x1, y1, x2, y2] }) => x >= x1 && x <= x2 && y >= y1 && y <= y2,
  );
  const nearest = highest(
    around,
    ({ box: [x1, y1, x2, y2] }) => -Math.hypot((x1 + x2) / 2 - x, (y1 + y2) / 2 - y),
  );
  if (nearest) return nearest.id;
  const reason = `there is no face at x ${x}, y ${y} in frame ${frame}`;
  throw new Failure('speaker_not_found', { reason });
};

const idOfTalker = (sightings: Sightings, speech: ClipSpeech | null): number => {
  const widths = sumsById(sightings, ({ box: [x1, , x2] }) => x2 - x1);
  const everyone = [...widths].map(([id, width]) => ({ id, width }));
  const people = speech ? withoutCopies(everyone, sightings, speech.size) : everyone;
  if (!speech || people.length < 2) return highest(people, ({ width }) => width)?.id ?? -1;
  const heard = speech.own && hasSpeech(speech.own) ? speech.own : null;
  const measured = people.map((person) => {
    const faces = facesOf(sightings, person.id);
    const openings = openingsOf(faces, speech.times);
    const share = openings.length / Math.max(1, sightings.length);
    const score = heard && openings.length >= LEAST_PICTURES ? talkScore(openings, heard) : 0;
    const talk = score < LEAST_TALK ? 0 : score * share;
    return { ...person, speed: lipSpeed(openings), talk, motion: motionOf(faces) };
  });
  const living = measured.some(({ motion }) => movesLips(motion, sightings.length))
    ? measured.filter(({ motion }) => !isPoster(motion))
    : measured;
  const talkers = nearHighest(living, ({ talk }) => talk, EQUAL_TALK);
  const largest = nearHighest(talkers, ({ width }) => width, EQUAL_SIZE);
  const fastest = nearHighest(largest, ({ speed }) => speed, EQUAL_SPEED);
  return highest(fastest, ({ width }) => width)?.id ?? -1;
};

const facesOf = (sightings: Sightings, person: number) =>
  sightings.map((seen) => seen.find(({ id }) => id === person));

/** Without those who are larger copies of others. */
const withoutCopies = <T extends { readonly id: number }>(
  people: readonly T[],
  sightings: Sightings,
  size: Size,
): T[] => {
  const faces = people.map(({ id }) => facesOf(sightings, id));
  return people.filter(
    (_, i) => !faces.some((others) => isLargerCopy(faces[i] ?? [], others, size)),
  );
};

/** The openings of one face, each at the middle of its picture, whose beginnings `times` gives. */
export const openingsOf = (
  faces: readonly (Sighting | null | undefined)[],
  times: readonly number[],
): Opening[] =>
  faces.flatMap((face, i) => {
    const seconds = ((times[i] ?? 0) + (times[i + 1] ?? 0)) / 2;
    return face ? [{ seconds, opening: face.opening }] : [];
  });

/** A number of each sighting, summed over all pictures, by the face's id. */
const sumsById = (sightings: Sightings, numberOf: (face: Sighting) => number) => {
  const sums = new Map<number, number>();
  for (const face of sightings.flat()) sums.set(face.id, (sums.get(face.id) ?? 0) + numberOf(face));
  return sums;
};

/** The items whose value is at least such a share of the highest. */
const nearHighest = <T>(items: readonly T[], measure: (item: T) => number, share: number): T[] => {
  const most = Math.max(...items.map(measure));
  return items.filter((item) => measure(item) >= most * share);
};

const highest = <T>(items: readonly T[], measure: (item: T) => number): T | null =>
  items.reduce<T | null>(
    (best, item) => (best === null || measure(item) > measure(best) ? item : best),
    null,
  );
