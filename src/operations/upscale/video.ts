import { inOrder } from '../../async/in-order.ts';
import type { Frame, Picture } from '../../frame.ts';
import type { VideoInfo } from '../../media/info.ts';
import { decodeVideo, decodeYuv } from '../../media/read/decode.ts';
import type { AnyFrame } from '../../media/write/encoder.ts';
import {
  type Level,
  openUpscaler,
  STRONGEST,
  type Upscaler,
} from '../../triton/clients/upscaler.ts';
import type { Cleaning } from './cleaning.ts';
import { type Found, levelOf } from './denoise.ts';
import { effortOf, variantOf } from './options.ts';
import { enlargeFrames, type FramesMemory, openFramesMemory } from './realtime.ts';
import type { Scale } from './request.ts';
import { assembled, openParts, type Part } from './reuse.ts';
import type { FramesTask } from './task.ts';

/** How pictures are enlarged: by which factor and model, and how many calls run at a time. */
export type UpscaleMeans = {
  readonly scale: Scale;
  readonly upscaler: Upscaler;
  /** How much of blocks and noise is taken away. */
  readonly denoise: Level;
  readonly inFlight: number;
  readonly signal: AbortSignal;
};

type Taken = {
  /** Where to begin, in seconds; absent: at the first frame. */
  readonly from?: number;
  /** How the pictures are cleaned before and while they are enlarged. */
  readonly cleaning: Cleaning;
  /** Which of the frames are enlarged; all of them unless given. */
  readonly pick?: <F extends AnyFrame>(frames: AsyncIterable<F>) => AsyncIterable<F>;
  /** That of other parts of the video; one of its own unless given. */
  readonly memory?: FramesMemory;
};

/**
 * The frames of the video, enlarged: by `realtime` in the codes of the source, else as RGB. Each is the receiver's until it asks
 * for the next one.
 */
export const enlargedVideo = (
  task: FramesTask,
  info: VideoInfo,
  { from, cleaning, pick = (frames) => frames, memory = openFramesMemory() }: Taken,
): AsyncIterable<AnyFrame> => {
  const { options, input, config, signal } = task;
  const decoding = { ffmpeg: config.ffmpeg, signal, from, cleaning: cleaning.filters };
  if (effortOf(options) !== 'realtime') {
    const means = meansOf(task, { kind: 'video', isClear: cleaning.isClear });
    return upscaleVideo(pick(decodeVideo(input('media'), info, decoding)), means);
  }
  const decoded = { ...decoding, memory: { blocks: memory.frames } };
  const frames = decodeYuv(input('media'), info, decoded);
  return enlargeFrames(pick(frames), task, memory);
};

export const meansOf = (task: FramesTask, found: Found): UpscaleMeans => {
  const { models, options, transport, config, signal } = task;
  const upscaler = openUpscaler(transport, models.of(variantOf(options)));
  return {
    scale: options.scale,
    upscaler,
    denoise: levelOf(options, found, upscaler),
    inFlight: config.triton.framesInFlight,
    signal,
  };
};

/**
 * The frames at `scale`, in order and with their times, while the consumer asks for them. What has not changed since the
 * frame before is not computed again.
 */
export const upscaleVideo = (
  frames: AsyncIterable<Frame>,
  { scale, upscaler, denoise, inFlight, signal }: UpscaleMeans,
): AsyncIterable<Frame> => {
  // What evens colours looks farther than `reach`, so a frame that differs is enlarged whole: docs/decisions/0225.
  const partsOf = openParts<Picture>(denoise === STRONGEST ? null : upscaler.reach(scale));
  let last: Promise<Picture> | undefined;
  const enlarged = async (picture: Picture, before: typeof last): Promise<Picture> => {
    const parts = partsOf(picture);
    const large = new Map<Picture, Picture>();
    const run = async ({ picture: part }: Part<Picture>) =>
      [part, await upscaler.run(part, scale, signal, { level: denoise })] as const;
    for await (const [part, one] of inOrder(parts, inFlight, run)) large.set(part, one);
    return assembled(parts, large, await before);
  };
  return inOrder(frames, inFlight, async (frame) => {
    last = enlarged(frame, last);
    return { ...frame, ...(await last) };
  });
};
