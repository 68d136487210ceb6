/** Pictures of a clip out of their order, and the speaker's face in them. */
import type { YuvFrame } from '../../../frame.ts';
import { framesAt, type IndexedVideo } from '../../../media/read/indexed-video.ts';

export type ClipPictures = {
  /** The clip's pictures with these indices, which ascend. Each belongs to its receiver until the next is asked for. */
  readonly pictures: (indices: readonly number[]) => AsyncIterable<YuvFrame>;
  /** The speaker's mesh in the picture with this index; null where the face is not seen. */
  readonly meshOf: (index: number) => Promise<Float32Array | null>;
};

/** Pictures that are at most this far apart are decoded in one go, with those between them; farther ones by a seek. */
const MOST_DECODED_BETWEEN = 120;

export const picturesOf = (
  video: IndexedVideo,
  means: Parameters<typeof framesAt>[2],
): ClipPictures['pictures'] =>
  async function* (indices) {
    for (const group of groupsOf(indices))
      for await (const picture of framesAt(video, group, means)) {
        yield picture;
        means.memory.give(picture.pixels);
      }
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
