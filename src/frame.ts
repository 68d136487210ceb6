/** Width and height in pixels. */
export type Size = { readonly width: number; readonly height: number };

/** A second of video with more frames costs as many seconds as it would last at this rate, and may have no more for less. */
export const PRICED_FPS = 30;
/** Frames a second of a result that is made of a portrait. */
export const PORTRAIT_FPS = 25;

/** Interleaved 8-bit pixels, rows top to bottom: 3 channels are RGB, 4 are RGB and straight alpha. */
export type Picture = Size & {
  readonly channels: 3 | 4;
  /** Exactly width * height * channels bytes. */
  readonly pixels: Buffer;
};

/**
 * 8-bit 4:2:0 in three planes, one behind the other: luma, then both chromas at half the size each way, an odd side
 * rounded up. Which colours the codes are is told elsewhere.
 */
export type YuvPicture = Size & { readonly pixels: Buffer };

/** A place in the time of a video. */
export type Timed = {
  readonly index: number;
  /** Presentation time in seconds from the start of the file. */
  readonly time: number;
  /** How long the frame is shown, in seconds. */
  readonly duration: number;
};

/** A picture of a video with its place in time. The receiver owns the pixels. */
export type Frame = Picture & Timed;
export type YuvFrame = YuvPicture & Timed;

export const scaled = ({ width, height }: Size, scale: number): Size => ({
  width: width * scale,
  height: height * scale,
});

/** "1280x720", as the contract writes sizes. */
export const sizeText = ({ width, height }: Size): string => `${width}x${height}`;

/** The size in which the longer side has at most so many pixels. */
export const fitted = ({ width, height }: Size, longSide: number): Size => {
  const scale = Math.min(1, longSide / Math.max(width, height));
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
};

/** The size whose sides are at most so long, in either orientation. */
export const within = (
  { width, height }: Size,
  { longSide, shortSide }: { readonly longSide: number; readonly shortSide: number },
): Size => {
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  const scale = Math.min(1, longSide / long, shortSide / short);
  return scale === 1
    ? { width, height }
    : {
        width: Math.max(1, Math.floor(width * scale)),
        height: Math.max(1, Math.floor(height * scale)),
      };
};

/** 4:2:0 has even sizes only. */
export const evened = ({ width, height }: Size): Size => ({
  width: width + (width % 2),
  height: height + (height % 2),
});
