/** Whose mouth moves: pure. */

import { Failure } from '../../../errors.ts';
import type { Box } from '../../../triton/clients/face-track.ts';
import type { Heard } from '../../../triton/clients/speech.ts';
import type { Speaker } from '../request.ts';
import { isSpoken, type Opening } from './lips.ts';
import { motionOf, talkOf } from './talking.ts';
import type { Sighting } from './track.ts';

type Sightings = readonly (readonly Sighting[])[];

/** Who is seen only for so many pictures is nobody: a detector's error. */
const FLEETING = 5;
/** How much of two boxes must be common to both for them to be the same face. */
const SAME = 0.3;

/** What tells who talks: the time of each picture, and what was heard in the clip's own sound, if it has one. */
export type Talk = { readonly times: readonly number[]; readonly own: Heard | null };

/** Less than this of 3 (talking.ts) is no talking: people who talk reach 0.6 to 2.3. */
const TALKS = 0.3;
/** Who comes so near to the best is as good: then the next rule has the word. */
const AS_TALKATIVE = 0.85;
const AS_LARGE = 0.8;

/** How many people are seen. */
export const countFaces = (sightings: Sightings): number => {
  const seen = [...lengths(sightings, () => 1).values()];
  const lasting = seen.filter((frames) => frames >= Math.min(FLEETING, sightings.length));
  return lasting.length;
};

/**
 * The speaker's face in each picture, null where it is not seen. By itself it is that of who talks most in the first `shown`
 * pictures, which are those of the output; if nobody does, of who is large for long; of equals, whose lips move more. Throws
 * speaker_not_found when nobody is where the caller says.
 */
export const chooseFace = (
  sightings: Sightings,
  speaker: Speaker,
  shown = sightings.length,
  talk: Talk | null = null,
): (Sighting | null)[] => {
  if ('boxes' in speaker) {
    const chosen = inBoxes(sightings, speaker.boxes);
    if (chosen.some((face) => face !== null)) return chosen;
    throw new Failure('speaker_not_found', { reason: 'no face was found in any of the boxes' });
  }
  const id =
    'frame' in speaker ? idAt(sightings, speaker) : mostTalking(sightings.slice(0, shown), talk);
  return sightings.map((faces) => faces.find((face) => face.id === id) ?? null);
};

/** The face that fills the box of each picture best; null where none does. */
export const inBoxes = (
  sightings: Sightings,
  boxes: readonly (Box | null)[],
): (Sighting | null)[] =>
  sightings.map((faces, i) => {
    const box = boxes[i];
    const best = box && highest(faces, (face) => overlap(face.box, box));
    return best && overlap(best.box, box) >= SAME ? best : null;
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
  const reason = `no face was found at ${x}, ${y} of frame ${frame}`;
  throw new Failure('speaker_not_found', { reason });
};

const mostTalking = (sightings: Sightings, talk: Talk | null): number => {
  const widths = lengths(sightings, ({ box: [x1, , x2] }) => x2 - x1);
  const people = [...widths].map(([id, width]) => ({ id, width }));
  if (!talk || people.length < 2) return highest(people, ({ width }) => width)?.id ?? -1;
  const { own } = talk;
  const heard = own && isSpoken(own) ? own : null;
  const known = people.map((person) => {
    const openings = openingsOf(sightings, person.id, talk.times);
    const share = openings.length / Math.max(1, sightings.length);
    const talks = heard && openings.length >= FLEETING ? talkOf(openings, heard) : 0;
    return { ...person, motion: motionOf(openings), talks: talks < TALKS ? 0 : talks * share };
  });
  const talkers = best(known, ({ talks }) => talks, AS_TALKATIVE);
  const largest = best(talkers, ({ width }) => width, AS_LARGE);
  return highest(largest, ({ motion }) => motion)?.id ?? -1;
};

const openingsOf = (sightings: Sightings, id: number, times: readonly number[]): Opening[] =>
  sightings.flatMap((faces, i) => {
    const face = faces.find((one) => one.id === id);
    const seconds = ((times[i] ?? 0) + (times[i + 1] ?? 0)) / 2;
    return face ? [{ seconds, opening: face.opening }] : [];
  });

/** Those whose worth comes so near to the highest. */
const best = <T>(items: readonly T[], worth: (item: T) => number, near: number): T[] => {
  const most = Math.max(...items.map(worth));
  return items.filter((item) => worth(item) >= most * near);
};

/** The sum of a length over all pictures, by face. */
const lengths = (sightings: Sightings, lengthOf: (face: Sighting) => number) => {
  const sums = new Map<number, number>();
  for (const face of sightings.flat()) sums.set(face.id, (sums.get(face.id) ?? 0) + lengthOf(face));
  return sums;
};

const highest = <T>(items: readonly T[], worth: (item: T) => number): T | null =>
  items.reduce<T | null>(
    (best, item) => (best === null || worth(item) > worth(best) ? item : best),
    null,
  );

/** The common part of two boxes by the whole that they cover. */
const overlap = (a: Box, b: Box): number => {
  const area = ([x1, y1, x2, y2]: Box) => Math.max(0, x2 - x1) * Math.max(0, y2 - y1);
  const common = area([
    ...[Math.max(a[0], b[0]), Math.max(a[1], b[1])],
    ...[Math.min(a[2], b[2]), Math.min(a[3], b[3])],
  ] as const);
  return common / Math.max(1e-9, area(a) + area(b) - common);
};

/** How much of the new mouth each picture shows: less and less towards one without the face, so that nothing pops. */
export const fades = (seen: readonly boolean[], over = 3): number[] => {
  const away = (order: readonly boolean[]): number[] => {
    let since = Number.POSITIVE_INFINITY;
    return order.map((there) => {
      since = there ? since + 1 : 0;
      return since;
    });
  };
  const [after, before] = [away(seen), away(seen.toReversed()).toReversed()];
  return seen.map((_, i) =>
    Math.min(1, (after[i] ?? 0) / (over + 1), (before[i] ?? 0) / (over + 1)),
  );
};
