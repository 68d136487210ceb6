import { inOrder } from '../../async/in-order.ts';
import type { Frame, Picture } from '../../frame.ts';
import type { VideoInfo } from '../../media/info.ts';
import { decodeVideo, decodeYuv } from '../../media/read/decode.ts';
import type { AnyFrame } from '../../media/write/encoder.ts';
import { type Level, openUpscaler, type Upscaler } from '../../triton/clients/upscaler.ts';
import { levelOf } from './denoise.ts';
import { effortOf, variantOf } from './options.ts';
import { enlargeFrames } from './realtime.ts';
import type { Scale } from './request.ts';
import type { UpscaleHelp, UpscaleTask } from './task.ts';

/** How pictures are enlarged: by which factor and model, and how many calls run at a time. */
export type UpscaleMeans = {
  readonly scale: Scale;
  readonly upscaler: Upscaler;
  /** What is taken away first. */
  readonly denoise: Level;
  readonly inFlight: number;
  readonly signal: AbortSignal;
};

type Taken = {
  /** In seconds; absent: from the first frame on. */
  readonly from?: number;
  /** Which of the frames are enlarged; all of them unless given. */
  readonly pick?: <F extends AnyFrame>(frames: AsyncIterable<F>) => AsyncIterable<F>;
};

/** The frames of the video, enlarged: by `realtime` in the codes of the source, else as RGB. */
export const enlargedVideo = (
  task: UpscaleTask | UpscaleHelp,
  info: VideoInfo,
  { from, pick = (frames) => frames }: Taken = {},
): AsyncIterable<AnyFrame> => {
  const { options, input, config, signal } = task;
  const decoding = { ffmpeg: config.ffmpeg, signal, from };
  return effortOf(options) === 'realtime'
    ? enlargeFrames(pick(decodeYuv(input('media'), info, decoding)), task)
    : upscaleVideo(pick(decodeVideo(input('media'), info, decoding)), meansOf(task));
};

export const meansOf = (task: UpscaleTask | UpscaleHelp): UpscaleMeans => {
  const { models, options, found, transport, config, signal } = task;
  const upscaler = openUpscaler(transport, models.of(variantOf(options)));
  return {
    scale: options.scale,
    upscaler,
    denoise: levelOf(options, found.kind, upscaler),
    inFlight: config.triton.framesInFlight,
    signal,
  };
};

/**
 * The frames at `scale`, in order and with their times, while the consumer asks for them.
 * A frame equal to the one before it is not computed again.
 */
export const upscaleVideo = (
  frames: AsyncIterable<Frame>,
  { scale, upscaler, denoise, inFlight, signal }: UpscaleMeans,
): AsyncIterable<Frame> => {
  let last: { pixels: Buffer; enhanced: Promise<Picture> } | undefined;
  return inOrder(frames, inFlight, async (frame) => {
    if (!last?.pixels.equals(frame.pixels)) {
      last = { pixels: frame.pixels, enhanced: upscaler.run(frame, scale, signal, denoise) };
    }
    return { ...frame, ...(await last.enhanced) };
  });
};
