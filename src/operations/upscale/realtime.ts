/** Frames of video, enlarged as they come from the decoder, several in one call. */
import { inBatches } from '../../async/in-batches.ts';
import { inOrder } from '../../async/in-order.ts';
import { scaled, type YuvFrame, yuvBytes } from '../../frame.ts';
import { openRealtime } from '../../triton/clients/realtime.ts';
import { variantOf } from './options.ts';
import type { UpscaleHelp, UpscaleTask } from './task.ts';

/** A call costs some milliseconds, whatever it brings: as long as `realtime` needs for one frame of 480x270. */
const MOST_FRAMES = 8;
/** Bytes of the enlarged frames of one call, unless a single one has more. */
const MOST_BYTES = 16 * 1024 ** 2;
/** While one is computed, the next one is sent. */
const CALLS_IN_FLIGHT = 2;

export async function* enlargeFrames(
  frames: AsyncIterable<YuvFrame>,
  { options, transport, models, found, signal }: UpscaleTask | UpscaleHelp,
): AsyncGenerator<YuvFrame> {
  const { scale } = options;
  const realtime = openRealtime(transport, models.of(variantOf(options)));
  const fitting = Math.floor(MOST_BYTES / yuvBytes(scaled(found.size, scale)));
  const batches = inBatches(frames, Math.max(1, Math.min(MOST_FRAMES, fitting)));
  const enlarged = inOrder(batches, CALLS_IN_FLIGHT, async (batch) => {
    const large = await realtime.run(batch, scale, signal);
    return batch.map((frame, at) => ({ ...frame, ...large[at] }));
  });
  for await (const batch of enlarged) yield* batch;
}
