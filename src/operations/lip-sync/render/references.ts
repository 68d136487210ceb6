import type { YuvFrame } from '../../../frame.ts';
import type { Reference } from '../../../triton/clients/mouth-wants.ts';
import { cut, meshIn, type PatchGeometry, patchOf } from './patch.ts';

/** The reference for a picture of the clip, by its index: the mouth of another picture, as long as there is one. */
export type References = { of(source: number): Reference };

type ReferenceSources = {
  /** Indices of pictures in which the face is seen, the best first. */
  readonly candidates: readonly number[];
  readonly pictures: (indices: readonly number[]) => AsyncIterable<YuvFrame>;
  readonly meshOf: (index: number) => Promise<Float32Array | null>;
  readonly render: PatchGeometry;
};

/** One for all pictures, and another for that one. */
const NEEDED = 2;

/** Cuts them out of the first of the candidates, once. Throws an Error where none of these has a mouth. */
export const collectReferences = async (sources: ReferenceSources): Promise<References> => {
  const { candidates, pictures, meshOf, render } = sources;
  const found: { readonly source: number; readonly reference: Reference }[] = [];
  for (const source of new Set(candidates)) {
    if (found.length === NEEDED) break;
    const mesh = await meshOf(source);
    for await (const picture of mesh ? pictures([source]) : []) {
      const rect = mesh && patchOf(mesh, picture, render);
      if (rect) {
        const reference = { patch: cut(picture, rect), mesh: meshIn(mesh, rect) };
        found.push({ source, reference });
      }
    }
  }
  const [best] = found;
  if (!best) throw new Error('no picture of the clip has a mouth to refer to');
  return {
    of: (source) => (found.find((one) => one.source !== source) ?? best).reference,
  };
};
