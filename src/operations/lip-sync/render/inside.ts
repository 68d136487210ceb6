/** The inside of the subject's mouth, merged from the clip's own pictures. */
import { inOrder } from '../../../async/in-order.ts';
import type { Mouth, MouthRender, Rendering } from '../../../triton/clients/mouth-render.ts';
import type { ClipPictures } from './clip-pictures.ts';
import { mouthIn, patchOf } from './patch.ts';

type InsideSources = ClipPictures & {
  /** Indices of the clip's pictures that show it, the most telling first. */
  readonly lenders: readonly number[];
  readonly rendering: Rendering;
  readonly render: MouthRender;
  readonly inFlight: number;
  readonly signal: AbortSignal;
};

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
  for await (const picture of pictures([...lenders].sort((a, b) => a - b))) {
    const { index } = picture;
    const mesh = await meshOf(index);
    const rect = mesh && patchOf(mesh, picture, render);
    if (rect) yield { index, mouth: mouthIn(picture, mesh, { rect, about: rendering }) };
  }
}
