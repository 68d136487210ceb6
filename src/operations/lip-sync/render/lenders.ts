/** The mouths that a clip's own pictures lend to its output frames. */
import type { YuvFrame } from '../../../frame.ts';
import { AT_ONCE, type Lending } from '../../../triton/clients/mouth-plan.ts';
import type { Lent, Mouth, MouthRender, Rendering } from '../../../triton/clients/mouth-render.ts';
import { cut, meshIn, patchOf } from './patch.ts';

/** What was collected, as it can be written to a file. */
export type Collected = {
  /** The subject, with the teeth that the lenders show. */
  readonly subject: Float32Array;
  /** Null: none lends. */
  readonly lending: Lending | null;
  /** By the index of the picture that each was cut out of. */
  readonly mouths: ReadonlyMap<number, Buffer>;
};

export type Lenders = {
  readonly collected: Collected;
  /** The lenders of an output frame and each one's share; empty where the inside of the mouth is drawn. */
  of(index: number): readonly Lent[];
};

type LenderSources = {
  /** Null: the model does not lend. */
  readonly lending: Lending | null;
  /** The clip's pictures with these indices, which ascend. */
  readonly pictures: (indices: readonly number[]) => AsyncIterable<YuvFrame>;
  /** The speaker's mesh in the picture with this index; null where the face is not seen. */
  readonly meshOf: (index: number) => Promise<Float32Array | null>;
  readonly rendering: Rendering;
  readonly render: MouthRender;
  readonly signal: AbortSignal;
};

/** Pictures that are at most so many apart are decoded in one go, those between them included; farther ones by a seek. */
const MOST_DECODED_BETWEEN = 120;
/** From how many lenders, the most useful first, the subject's teeth are measured. */
const LENDERS_FOR_TEETH = 12;

/** Cuts each lender's mouth out of its picture once and keeps it: at most 48, of 100 kB (`balanced`) or 600 kB (`studio`). */
export const collectLenders = async (sources: LenderSources): Promise<Lenders> => {
  const { lending, pictures, meshOf, rendering, render, signal } = sources;
  const { subject } = rendering;
  if (!lending || rendering.style === 'flat')
    return lendersFrom({ subject, lending: null, mouths: new Map() });
  const mouths = new Map<number, Buffer>();
  let last: Mouth | null = null;
  for (const group of groupsOf([...new Set(lending.bank)].sort((a, b) => a - b))) {
    for await (const picture of pictures(group)) {
      const mesh = await meshOf(picture.index);
      const rect = mesh && patchOf(mesh, picture, render);
      if (rect) {
        last = { patch: cut(picture, rect), mesh: meshIn(mesh, rect), about: rendering };
        mouths.set(picture.index, await render.lender(last, signal));
      }
    }
  }
  const forTeeth = lending.bank
    .flatMap((index) => mouths.get(index) ?? [])
    .slice(0, LENDERS_FOR_TEETH);
  const withTeeth = last ? await render.withTeeth(forTeeth, last, signal) : subject;
  return lendersFrom({ subject: withTeeth, lending, mouths });
};

export const lendersFrom = (collected: Collected): Lenders => {
  const { lending, mouths } = collected;
  return { collected, of: (index) => (lending ? lentTo(index, lending, mouths) : []) };
};

/** Ascending indices in groups that are decoded in one go. */
const groupsOf = (indices: readonly number[]): number[][] => {
  const groups: number[][] = [];
  for (const index of indices) {
    const group = groups.at(-1);
    if (group && index - (group.at(-1) ?? 0) <= MOST_DECODED_BETWEEN) group.push(index);
    else groups.push([index]);
  }
  return groups;
};

const lentTo = (
  index: number,
  { bank, lenders, shares }: Lending,
  mouths: ReadonlyMap<number, Buffer>,
): Lent[] => {
  const lent: Lent[] = [];
  for (let i = index * AT_ONCE; i < (index + 1) * AT_ONCE; i += 1) {
    const lender = mouths.get(bank[lenders[i] ?? -1] ?? -1);
    const share = shares[i] ?? 0;
    if (lender && share > 0) lent.push({ lender, share });
  }
  return lent;
};
