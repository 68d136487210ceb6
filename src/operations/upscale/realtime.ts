/** Frames of video, enlarged as they come from the decoder, several in one call. */
import { inBatches } from '../../async/in-batches.ts';
import { inOrder } from '../../async/in-order.ts';
import { scaled, sizeText, type YuvFrame, type YuvPicture, yuvBytes } from '../../frame.ts';
import { openRealtime } from '../../triton/clients/realtime.ts';
import { variantOf } from './options.ts';
import { assembled, openParts } from './reuse.ts';
import type { FramesTask } from './task.ts';

/** A call costs some milliseconds, whatever it brings: as long as `realtime` needs for one frame of 480x270. */
const MOST_FRAMES = 8;
/** Bytes of the enlarged frames of one call, unless a single one has more. */
const MOST_BYTES = 16 * 1024 ** 2;
/** While one is computed, the next one is sent. */
const CALLS_IN_FLIGHT = 2;

export async function* enlargeFrames(
  frames: AsyncIterable<YuvFrame>,
  { options, transport, models, found, signal }: FramesTask,
): AsyncGenerator<YuvFrame> {
  const { scale } = options;
  const realtime = openRealtime(transport, models.of(variantOf(options)));
  const fitting = Math.floor(MOST_BYTES / yuvBytes(scaled(found.size, scale)));
  const batches = inBatches(frames, Math.max(1, Math.min(MOST_FRAMES, fitting)));
  const partsOf = openParts<YuvPicture>(realtime.reach(scale));
  const run = (pictures: readonly YuvPicture[]) => realtime.run(pictures, scale, signal);
  const enlarge = async (batch: readonly YuvPicture[], before: typeof last) => {
    const parts = batch.map(partsOf);
    const large = await bySize(
      parts.flat().map(({ picture }) => picture),
      run,
    );
    let frame = (await before).at(-1);
    return parts.map((some) => {
      frame = assembled(some, large, frame);
      return frame;
    });
  };
  let last: Promise<YuvPicture[]> = Promise.resolve([]);
  const enlarged = inOrder(batches, CALLS_IN_FLIGHT, async (batch) => {
    last = enlarge(batch, last);
    const large = await last;
    return batch.map((frame, at) => ({ ...frame, ...large[at] }));
  });
  for await (const batch of enlarged) yield* batch;
}

/** From pictures to their enlargements; those of one size go in one call. */
const bySize = async (
  pictures: readonly YuvPicture[],
  run: (same: readonly YuvPicture[]) => Promise<readonly YuvPicture[]>,
): Promise<Map<YuvPicture, YuvPicture>> => {
  const groups = new Map<string, YuvPicture[]>();
  for (const picture of pictures) {
    const group = groups.get(sizeText(picture));
    if (group) group.push(picture);
    else groups.set(sizeText(picture), [picture]);
  }
  const enlarged = new Map<YuvPicture, YuvPicture>();
  const calls = inOrder(
    groups.values(),
    CALLS_IN_FLIGHT,
    async (same) => [same, await run(same)] as const,
  );
  for await (const [same, large] of calls) {
    for (const [i, picture] of same.entries()) {
      const one = large[i];
      if (one) enlarged.set(picture, one);
    }
  }
  return enlarged;
};
