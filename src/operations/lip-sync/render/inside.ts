/** The inside of the subject's mouth, merged from the clip's own pictures. */
import { inOrder } from '../../../async/in-order.ts';
import type { YuvFrame } from '../../../frame.ts';
import type { Mouth, MouthRender, Rendering } from '../../../triton/clients/mouth-render.ts';
import { mouthIn, patchOf } from './patch.ts';

type InsideSources = {
  /** Indices of the clip's pictures that show it, the most telling first. */
  readonly lenders: readonly number[];
  /** The clip's pictures with these indices, which ascend. */
  readonly pictures: (indices: readonly number[]) => AsyncIterable<YuvFrame>;
  /** The speaker's mesh in the picture with this index; null where the face is not seen. */
  readonly meshOf: (index: number) => Promise<Float32Array | null>;
  readonly rendering: Rendering;
  readonly render: MouthRender;
  readonly inFlight: number;
  readonly signal: AbortSignal;
};

/** Pictures that are at most this far apart are decoded in one go, with those between them; farther ones by a seek. */
const MOST_DECODED_BETWEEN = 120;

/** Null where no picture shows it, and for a drawing: it is drawn then. */
export const collectInside = async (sources: InsideSources): Promise<Buffer | null> => {
  const { lenders, rendering, render, inFlight, signal } = sources;
  if (rendering.style === 'flat') return null;
  const lent = new Map<number, Buffer>();
  let last: Mouth | null = null;
  const lend = async ({ index, mouth }: Found) => ({
    index,
    mouth,
    lender: await render.lender(mouth, signal),
  });
  for await (const { index, mouth, lender } of inOrder(mouthsIn(sources), inFlight, lend)) {
    last = mouth;
    lent.set(index, lender);
  }
  const best = lenders.flatMap((index) => lent.get(index) ?? []);
  return last && render.inside(best, last, signal);
};

/** The same from a portrait, of which there is no other picture. */
export const insideOfStill = async (
  mouth: Mouth,
  render: MouthRender,
  signal: AbortSignal,
): Promise<Buffer | null> =>
  mouth.about.style === 'flat' || render.lenders === 0
    ? null
    : render.inside([await render.lender(mouth, signal)], mouth, signal);

type Found = { readonly index: number; readonly mouth: Mouth };

async function* mouthsIn(sources: InsideSources): AsyncGenerator<Found> {
  const { lenders, pictures, meshOf, rendering, render } = sources;
  for (const group of groupsOf([...lenders].sort((a, b) => a - b))) {
    for await (const picture of pictures(group)) {
      const { index } = picture;
      const mesh = await meshOf(index);
      const rect = mesh && patchOf(mesh, picture, render);
      if (rect) yield { index, mouth: mouthIn(picture, mesh, { rect, about: rendering }) };
    }
  }
}

/** Ascending indices in groups that are decoded in one go. */
export const groupsOf = (indices: readonly number[]): number[][] => {
  const groups: number[][] = [];
  for (const index of indices) {
    const group = groups.at(-1);
    if (group && index - (group.at(-1) ?? 0) <= MOST_DECODED_BETWEEN) group.push(index);
    else groups.push([index]);
  }
  return groups;
};
