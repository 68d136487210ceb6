/** Who is who over a whole clip, cuts included: pure. */

type Seen = { readonly id: number };
type Look = Float32Array;
type Group = { readonly ids: number[]; readonly looks: Look[]; readonly pictures: Set<number> };

/** Of each face so many looks, spread over the time that it is seen. */
const MOST_LOOKS = 8;
/** How far apart the closest looks at one person are at most: see inference/enhance/face/recognise.py. */
const SAME = 0.25;
/** Where nobody else is ever seen at the same time: one picture in a hundred of somebody else is as near. */
const SAME_ALONE = 0.28;

/** Keeps some of the looks at each face, those that are spread best over its time. */
export const collectLooks = () => {
  const faces = new Map<number, { readonly looks: Look[]; every: number; came: number }>();
  return {
    add: (id: number, look: Look): void => {
      const face = faces.get(id) ?? { looks: [], every: 1, came: 0 };
      faces.set(id, face);
      if (face.came % face.every === 0) face.looks.push(look);
      face.came += 1;
      if (face.looks.length <= MOST_LOOKS) return;
      face.every *= 2;
      face.looks.splice(0, Number.POSITIVE_INFINITY, ...face.looks.filter((_, i) => i % 2 === 0));
    },
    kept: (): ReadonlyMap<number, readonly Look[]> =>
      new Map([...faces].map(([id, { looks }]) => [id, looks])),
  };
};

/**
 * The same sightings with one id for each person, numbered as they come. Faces that look alike are one person, the most alike
 * first; two that are in one picture never are.
 */
export const asPeople = <T extends Seen>(
  sightings: readonly (readonly T[])[],
  looks: ReadonlyMap<number, readonly Look[]>,
): T[][] => {
  const groups = new Map<number, Group>();
  for (const [picture, faces] of sightings.entries()) {
    for (const { id } of faces) {
      const group = groups.get(id) ?? {
        ...{ ids: [id], looks: [...(looks.get(id) ?? [])], pictures: new Set<number>() },
      };
      group.pictures.add(picture);
      groups.set(id, group);
    }
  }
  const alone = sightings.every((faces) => faces.length < 2);
  const people = join([...groups.values()], alone ? SAME_ALONE : SAME);
  const person = new Map(people.flatMap((one) => one.ids.map((id) => [id, one])));
  const numbers = new Map<Group | undefined, number>();
  const numberOf = (id: number): number => {
    const one = person.get(id);
    const number = numbers.get(one) ?? numbers.size;
    numbers.set(one, number);
    return number;
  };
  return sightings.map((faces) => faces.map((face) => ({ ...face, id: numberOf(face.id) })));
};

/** Groups by their closest looks, from the closest pair on, as long as there are any that may be one. */
const join = (groups: Group[], same: number): Group[] => {
  const pairs = groups.flatMap((one, i) =>
    groups.slice(i + 1).flatMap((other) => {
      const apart = closest(one.looks, other.looks);
      return apart < same ? [{ one, other, apart }] : [];
    }),
  );
  pairs.sort((a, b) => a.apart - b.apart);
  const joined = new Map(groups.map((group) => [group, group]));
  for (const { one, other } of pairs) {
    const [a, b] = [joined.get(one) ?? one, joined.get(other) ?? other];
    if (a === b || [...b.pictures].some((picture) => a.pictures.has(picture))) continue;
    a.ids.push(...b.ids);
    for (const picture of b.pictures) a.pictures.add(picture);
    for (const [group, whole] of joined) if (whole === b) joined.set(group, a);
  }
  return groups.filter((group) => joined.get(group) === group);
};

/** The distance of the closest two; that of those farther apart than one person's looks is not measured to its end. */
const closest = (some: readonly Look[], others: readonly Look[]): number =>
  Math.min(...some.flatMap((one) => others.map((other) => distance(one, other))));

const distance = (one: Look, other: Look): number => {
  let sum = 0;
  for (let i = 0; i < one.length && sum < SAME_ALONE ** 2; i++)
    sum += ((one[i] ?? 0) - (other[i] ?? 0)) ** 2;
  return Math.sqrt(sum);
};
