import { inOrder } from '../../async/in-order.ts';
import type { Frame, Picture } from '../../frame.ts';
import type { MediaInfo } from '../../media/info.ts';
import { openUpscaler, type Upscaler } from '../../triton/clients/upscaler.ts';
import type { Help, Task } from '../operation.ts';
import type { Scale, UpscaleOptions } from './request.ts';

export type UpscaleTask = Task<UpscaleOptions, MediaInfo>;
export type UpscaleHelp = Help<UpscaleOptions, MediaInfo>;

/** How pictures are enlarged: by which factor and model, and how many calls run at a time. */
export type UpscaleMeans = {
  readonly scale: Scale;
  readonly upscaler: Upscaler;
  readonly inFlight: number;
  readonly signal: AbortSignal;
};

export const meansOf = (task: UpscaleTask | UpscaleHelp): UpscaleMeans => {
  const { models, options, transport, config, signal } = task;
  return {
    scale: options.scale,
    upscaler: openUpscaler(transport, models.of(options.model)),
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
  { scale, upscaler, inFlight, signal }: UpscaleMeans,
): AsyncIterable<Frame> => {
  let last: { pixels: Buffer; enhanced: Promise<Picture> } | undefined;
  return inOrder(frames, inFlight, async (frame) => {
    if (!last?.pixels.equals(frame.pixels)) {
      last = { pixels: frame.pixels, enhanced: upscaler.run(frame, scale, signal) };
    }
    return { ...frame, ...(await last.enhanced) };
  });
};
