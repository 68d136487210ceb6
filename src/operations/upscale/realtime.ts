/** Frames of video, enlarged as they come from the decoder, several in one call. See decision 36. */
import { inBatches } from '../../async/in-batches.ts';
import { inOrder } from '../../async/in-order.ts';
import { scaled, sizeText, type YuvFrame, type YuvPicture, yuvBytes } from '../../frame.ts';
import { type Memory, openMemory } from '../../memory.ts';
import { openRealtime } from '../../triton/clients/realtime.ts';
import { variantOf } from './options.ts';
import { assembled, openParts, type Part } from './reuse.ts';
import type { FramesTask } from './task.ts';

/** Each call costs some milliseconds, whatever its size: as much as `realtime` needs for one frame of 480x270. */
const MOST_FRAMES = 8;
/** Bytes of the enlarged frames of one call, unless a single one has more. */
const MOST_BYTES = 16 * 1024 ** 2;
/** While one is computed, the next one is sent. */
const CALLS_IN_FLIGHT = 2;

/** What the frames of a video are decoded, sent and enlarged in, one after the other. */
export type FramesMemory = {
  /** Gets that of each frame that was enlarged. */
  readonly frames: Memory;
  readonly calls: Memory;
};

export const openFramesMemory = (): FramesMemory => ({ frames: openMemory(), calls: openMemory() });

/** Each frame is the receiver's until it asks for the next one: then its memory is used again. */
export async function* enlargeFrames(
  frames: AsyncIterable<YuvFrame>,
  { options, transport, models, found, signal }: FramesTask,
  { frames: decoded, calls }: FramesMemory,
): AsyncGenerator<YuvFrame> {
  const { scale } = options;
  const realtime = openRealtime(transport, models.of(variantOf(options)), calls);
  const bytesOfOne = yuvBytes(scaled(found.size, scale));
  const fitting = Math.floor(MOST_BYTES / bytesOfOne);
  const batches = inBatches(frames, Math.max(1, Math.min(MOST_FRAMES, fitting)));
  const partsOf = openParts<YuvPicture>(realtime.reach(scale));
  const enlarge = async (
    parts: readonly (readonly Part<YuvPicture>[])[],
    room: Buffer | undefined,
    before: typeof last,
  ) => {
    const pictures = parts.flat().map(({ picture }) => picture);
    const large = await bySize(pictures, (same) => realtime.run(same, scale, signal, room));
    let frame = (await before).at(-1);
    return parts.map((some) => {
      frame = assembled(some, large, frame);
      return frame;
    });
  };
  let last: Promise<YuvPicture[]> = Promise.resolve([]);
  let latest: YuvPicture[] = [];
  const enlarged = inOrder(batches, CALLS_IN_FLIGHT, async (batch) => {
    const parts = batch.map(partsOf);
    // Parts of frames come in calls of their own, and are pasted into others.
    const areWhole = parts.every(([part]) => part?.place === null);
    const room = areWhole ? calls.take(batch.length * bytesOfOne) : undefined;
    last = enlarge(parts, room, last);
    // The next frame is compared with the last one.
    const done = [...latest, ...batch.slice(0, -1)];
    latest = batch.slice(-1);
    const large = await last;
    for (const { pixels } of done) decoded.give(pixels);
    return { frames: batch.map((frame, at) => ({ ...frame, ...large[at] })), room };
  });
  let held: Buffer[] = [];
  for await (const { frames, room } of enlarged) {
    yield* frames;
    // What follows may be made from the last one.
    const kept = frames.at(-1)?.pixels.buffer;
    if (room) held.push(room);
    for (const one of held) if (one.buffer !== kept) calls.give(one);
    held = held.filter(({ buffer }) => buffer === kept);
  }
  for (const one of held) calls.give(one);
  for (const { pixels } of latest) decoded.give(pixels);
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
