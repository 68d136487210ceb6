/** Frames of a video by parts: only what has changed is enlarged, the rest is taken from the enlarged frame before. */
import { type AnyPicture, type Area, copyArea, emptyLike } from './area.ts';
import { changesOf, grown } from './changes.ts';

/** A picture that is enlarged for a frame. */
export type Part<P extends AnyPicture> = {
  readonly picture: P;
  /** Where it lies in the frame, and of which area its enlargement is used; null: it is the frame. */
  readonly place: { readonly at: Area; readonly used: Area } | null;
};

/**
 * What has to be enlarged of each frame, of frames in their order; nothing of one that is as the one before.
 * reach: as `changesOf` takes it; null where it is not known, and frames that differ are enlarged whole.
 */
export const openParts = <P extends AnyPicture>(reach: number | null) => {
  let before: P | undefined;
  return (frame: P): readonly Part<P>[] => {
    const last = before;
    before = frame;
    if (last?.pixels.equals(frame.pixels)) return [];
    if (!last || reach === null) return [{ picture: frame, place: null }];
    // Areas of 4:2:0 begin at even pixels.
    const context = reach + (reach % 2);
    const areas = changesOf(last, frame, context);
    if (!areas) return [{ picture: frame, place: null }];
    return areas.map((used) => {
      const at = grown(used, context, frame);
      const picture = emptyLike(frame, at);
      copyArea(frame, at, picture, { x: 0, y: 0 });
      return { picture, place: { at, used } };
    });
  };
};

/** The enlarged frame, from its parts, the enlargement of each part's picture, and the enlarged frame before it. */
export const assembled = <P extends AnyPicture>(
  parts: readonly Part<P>[],
  enlarged: ReadonlyMap<P, P>,
  before: P | undefined,
): P => {
  const enlargedOf = (picture: P): P => {
    const large = enlarged.get(picture);
    if (!large) throw new Error('expected every part enlarged');
    return large;
  };
  const [first] = parts;
  if (first?.place === null) return enlargedOf(first.picture);
  if (!before) throw new Error('the first frame of a video has no parts');
  if (!first) return before;
  const frame = emptyLike(before, before);
  before.pixels.copy(frame.pixels);
  for (const { picture, place } of parts) {
    if (place) paste(enlargedOf(picture), place, frame);
  }
  return frame;
};

const paste = (
  large: AnyPicture,
  { at, used }: { readonly at: Area; readonly used: Area },
  frame: AnyPicture,
): void => {
  const scale = large.width / at.width;
  const [x, y] = [used.x - at.x, used.y - at.y];
  const { width, height } = used;
  const area = { x: x * scale, y: y * scale, width: width * scale, height: height * scale };
  copyArea(large, area, frame, { x: used.x * scale, y: used.y * scale });
};
