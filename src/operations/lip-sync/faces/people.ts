/** Which faces of a clip are the same person, cuts, dissolves and wipes included: pure. See decision 245. */
import type { Shots } from './transitions.ts';

/** See `face_track`'s LIKENESS: the distance of two of them says whether they are of one person. */
export type Likeness = Float32Array;
type Person = {
  readonly ids: number[];
  readonly likenesses: Likeness[];
  readonly pictures: Set<number>;
};

/** The most likenesses that are kept of each face. */
const MOST_LIKENESSES = 16;
/**
 * Two faces are one person where their closest likenesses are nearer than this (Euclidean distance): inference/enhance/face/
 * recognise.py has the measured distances.
 */
const SAME = 0.25;
/** The same limit for a clip whose pictures show one face at most: 4 % of other people in one studio are nearer. */
const SAME_ALONE = 0.28;
/** The least likenesses (half a second of them) that can tell another person: the closest of fewer are often far apart. */
const ENOUGH = 4;
/** More than the tracker's ids. */
const ID_LIMIT = 2 ** 24;

/** Keeps at most MOST_LIKENESSES of each face, evenly spread over the time that it is seen. */
export const collectLikenesses = () => {
  const faces = new Map<number, { readonly kept: Likeness[]; every: number; came: number }>();
  return {
    add: (id: number, likeness: Likeness): void => {
      const face = faces.get(id) ?? { kept: [], every: 1, came: 0 };
      faces.set(id, face);
      if (face.came % face.every === 0) face.kept.push(likeness);
      face.came += 1;
      if (face.kept.length <= MOST_LIKENESSES) return;
      face.every *= 2;
      face.kept.splice(0, Number.POSITIVE_INFINITY, ...face.kept.filter((_, i) => i % 2 === 0));
    },
    kept: (): ReadonlyMap<number, readonly Likeness[]> =>
      new Map([...faces].map(([id, { kept }]) => [id, kept])),
  };
};

/** The id of a face in a shot, as `separateShots` expects likenesses by. */
export const inShot = (id: number, shot: number): number => shot * ID_LIMIT + id;

/**
 * The same sightings and likenesses, with another id for a face from where a dissolve or a wipe has made it another person's;
 * the pictures mixed of the two show neither. The tracker goes on from one face to the other where they are at one place.
 * `likenesses`: by `inShot`.
 */
export const separateShots = <T extends { readonly id: number }>(
  sightings: readonly (readonly T[])[],
  likenesses: ReadonlyMap<number, readonly Likeness[]>,
  shots: Shots,
): { sightings: T[][]; likenesses: Map<number, readonly Likeness[]> } => {
  const of = new Map<number, readonly Likeness[]>();
  /** People by `inShot`, and the newest of each face. */
  const people = new Map<number, number>();
  const newest = new Map<number, number>();
  for (const [picture, seen] of sightings.entries()) {
    const shot = shots[picture] ?? null;
    if (shot === null) continue;
    for (const { id } of seen) {
      const part = inShot(id, shot);
      if (people.has(part)) continue;
      const [before, now] = [newest.get(id) ?? part, likenesses.get(part) ?? []];
      const known = of.get(before) ?? [];
      const other =
        Math.min(known.length, now.length) >= ENOUGH && closest(known, now) >= SAME_ALONE;
      const person = other ? part : before;
      of.set(person, other ? now : [...known, ...now]);
      people.set(part, person);
      newest.set(id, person);
    }
  }
  let shot = 0;
  const separated = sightings.map((seen, picture) => {
    const mixed = shots[picture] === null;
    shot = shots[picture] ?? shot;
    return seen.flatMap((face) => {
      const before = people.get(inShot(face.id, shot));
      const after = mixed ? people.get(inShot(face.id, shot + 1)) : before;
      const id = before ?? after ?? face.id;
      return id === (after ?? id) ? [{ ...face, id }] : [];
    });
  });
  return { sightings: separated, likenesses: of };
};

/**
 * The same sightings with one id for each person, numbered from 0 in the order in which they appear. Faces whose likenesses
 * are near become one person, the nearest pair first; two faces of one picture are always two people.
 */
export const identifyPeople = <T extends { readonly id: number }>(
  sightings: readonly (readonly T[])[],
  likenesses: ReadonlyMap<number, readonly Likeness[]>,
): T[][] => {
  const faces = new Map<number, Person>();
  for (const [picture, seen] of sightings.entries()) {
    for (const { id } of seen) {
      const face = faces.get(id) ?? {
        ids: [id],
        likenesses: [...(likenesses.get(id) ?? [])],
        pictures: new Set<number>(),
      };
      face.pictures.add(picture);
      faces.set(id, face);
    }
  }
  const alone = sightings.every((seen) => seen.length < 2);
  const people = join([...faces.values()], alone ? SAME_ALONE : SAME);
  const personOf = new Map(people.flatMap((person) => person.ids.map((id) => [id, person])));
  const numbers = new Map<Person | undefined, number>();
  const numberOf = (id: number): number => {
    const person = personOf.get(id);
    const number = numbers.get(person) ?? numbers.size;
    numbers.set(person, number);
    return number;
  };
  return sightings.map((seen) => seen.map((face) => ({ ...face, id: numberOf(face.id) })));
};

/** Single-linkage clustering: joins faces whose closest likenesses are nearer than `same`, the closest pair first. */
const join = (faces: Person[], same: number): Person[] => {
  const pairs = faces.flatMap((one, i) =>
    faces.slice(i + 1).flatMap((other) => {
      const apart = closest(one.likenesses, other.likenesses);
      return apart < same ? [{ one, other, apart }] : [];
    }),
  );
  pairs.sort((a, b) => a.apart - b.apart);
  const joined = new Map(faces.map((face) => [face, face]));
  for (const { one, other } of pairs) {
    const [a, b] = [joined.get(one) ?? one, joined.get(other) ?? other];
    if (a === b || [...b.pictures].some((picture) => a.pictures.has(picture))) continue;
    a.ids.push(...b.ids);
    for (const picture of b.pictures) a.pictures.add(picture);
    for (const [face, person] of joined) if (person === b) joined.set(face, a);
  }
  return faces.filter((face) => joined.get(face) === face);
};

/** The distance of the closest two; one above SAME_ALONE is not computed to its end. */
const closest = (some: readonly Likeness[], others: readonly Likeness[]): number =>
  Math.min(...some.flatMap((one) => others.map((other) => distance(one, other))));

const distance = (one: Likeness, other: Likeness): number => {
  let sum = 0;
  for (let i = 0; i < one.length && sum < SAME_ALONE ** 2; i++)
    sum += ((one[i] ?? 0) - (other[i] ?? 0)) ** 2;
  return Math.sqrt(sum);
};
