/** The mouths that a clip lends to its own frames. */
import type { YuvFrame } from '../../../frame.ts';
import { AT_ONCE, type Lending } from '../../../triton/clients/mouth-plan.ts';
import type { Lent, Mouth, MouthRender, Rendering } from '../../../triton/clients/mouth-render.ts';
import { cut, meshIn, patchOf } from '../render/patch.ts';

export type Lenders = {
  /** The subject, with the teeth that the lenders show. */
  readonly subject: Float32Array;
  /** Those of a frame of the output, and how much each lends; none where the mouth is drawn. */
  of(index: number): readonly Lent[];
};

type Clip = {
  readonly lending: Lending | null;
  /** The clip's pictures at these places, which ascend; `index` is the place. */
  readonly pictures: (places: readonly number[]) => AsyncIterable<YuvFrame>;
  readonly meshOf: (place: number) => Promise<Float32Array | null>;
  readonly about: Rendering;
};

/** Pictures farther apart are sought; those between nearer ones are decoded for nothing. */
const FAR = 120;
/** So many of the most useful lenders tell what the subject's teeth are like. */
const TELLING = 12;

/** Cuts every lender's mouth out of its picture once and keeps it: at most 48, 100 kB each of `balanced`, 600 kB of `studio`. */
export const borrow = async (
  { lending, pictures, meshOf, about }: Clip,
  render: MouthRender,
  signal: AbortSignal,
): Promise<Lenders> => {
  const { subject } = about;
  if (!lending || about.style === 'flat') return { subject, of: () => [] };
  const mouths = new Map<number, Buffer>();
  let mouth: Mouth | null = null;
  for (const near of groups([...new Set(lending.bank)].sort((a, b) => a - b))) {
    for await (const picture of pictures(near)) {
      const place = picture.index;
      const mesh = await meshOf(place);
      const rect = mesh && patchOf(mesh, picture, render);
      if (rect) {
        mouth = { patch: cut(picture, rect), mesh: meshIn(mesh, rect), about };
        mouths.set(place, await render.lender(mouth, signal));
      }
    }
  }
  const telling = lending.bank.flatMap((place) => mouths.get(place) ?? []).slice(0, TELLING);
  return {
    subject: mouth ? await render.withTeeth(telling, mouth, signal) : subject,
    of: (index) => lentTo(index, lending, mouths),
  };
};

const groups = (places: readonly number[]): number[][] => {
  const found: number[][] = [];
  for (const place of places) {
    const last = found.at(-1);
    if (last && place - (last.at(-1) ?? 0) <= FAR) last.push(place);
    else found.push([place]);
  }
  return found;
};

const lentTo = (
  index: number,
  { bank, lenders, shares }: Lending,
  mouths: ReadonlyMap<number, Buffer>,
): Lent[] => {
  const found: Lent[] = [];
  for (let i = index * AT_ONCE; i < (index + 1) * AT_ONCE; i += 1) {
    const lender = mouths.get(bank[lenders[i] ?? -1] ?? -1);
    const share = shares[i] ?? 0;
    if (lender && share > 0) found.push({ lender, share });
  }
  return found;
};
