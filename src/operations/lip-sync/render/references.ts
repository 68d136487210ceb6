import type { Reference } from '../../../triton/clients/mouth-wants.ts';
import type { ClipPictures } from './clip-pictures.ts';
import { cut, meshIn, type PatchGeometry, patchOf } from './patch.ts';

/** Mouths to refer to, with the index of the clip's picture that each is of; the best first, never empty. */
export type References = readonly { readonly source: number; readonly reference: Reference }[];

/** The reference for a picture of the clip: the mouth of another picture, as long as there is one. */
export const referenceFor = (references: References, source: number): Reference => {
  const found = references.find((one) => one.source !== source) ?? references[0];
  if (!found) throw new Error('expected at least one reference');
  return found.reference;
};

type ReferenceSources = ClipPictures & {
  /** Indices of pictures in which the face is seen, the best first. */
  readonly candidates: readonly number[];
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
  if (found.length === 0) throw new Error('no picture of the clip has a mouth to refer to');
  return found;
};
