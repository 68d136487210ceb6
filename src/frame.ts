/** Width and height in pixels. */
export type Size = { readonly width: number; readonly height: number };

/** A video with more frames per second is priced, and limited, by the seconds that its frames would last at this rate. */
export const PRICED_FPS = 30;
/** Frames per second of a result that is made from a portrait. */
export const PORTRAIT_FPS = 25;

/** Interleaved pixels, rows top to bottom: 3 channels are RGB, 4 are RGB and straight alpha. */
export type Picture = Size & {
  readonly channels: 3 | 4;
  /** Bits of a sample; absent: 8. With 16, each takes two bytes, little-endian. */
  readonly depth?: 16 | undefined;
  /** Exactly width * height * channels samples. */
  readonly pixels: Buffer;
};

/**
 * 8-bit 4:2:0 in three planes, one behind the other: luma, then Cb and Cr at half the size each way, an odd side rounded
 * up. How the codes become colours is in the `Colour` of the video's info.
 */
export type YuvPicture = Size & { readonly pixels: Buffer };

/** The bytes of a picture in 8-bit 4:2:0, chroma of odd sides rounded up. */
export const yuvBytes = ({ width, height }: Size): number =>
  width * height + 2 * Math.ceil(width / 2) * Math.ceil(height / 2);

/** Bytes of a row of pixels. */
export const strideOf = ({ width, channels, depth }: Picture): number =>
  width * channels * (depth === 16 ? 2 : 1);

/** When a frame of a video is shown. */
export type Timed = {
  readonly index: number;
  /** Presentation time in seconds from the start of the file. */
  readonly time: number;
  /** How long the frame is shown, in seconds. */
  readonly duration: number;
};

/** A picture of a video and when it is shown. The receiver owns the pixels. */
export type Frame = Picture & Timed;
export type YuvFrame = YuvPicture & Timed;

export const scaled = ({ width, height }: Size, scale: number): Size => ({
  width: width * scale,
  height: height * scale,
});

/** "1280x720", as the contract writes sizes. */
export const sizeText = ({ width, height }: Size): string => `${width}x${height}`;

/** The size, reduced so that the longer side has at most this many pixels. */
export const fitted = ({ width, height }: Size, longSide: number): Size => {
  const scale = Math.min(1, longSide / Math.max(width, height));
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
};

/** The size, reduced so that both sides are at most this long, in either orientation; what is reduced has even sides. */
export const within = (
  { width, height }: Size,
  { longSide, shortSide }: { readonly longSide: number; readonly shortSide: number },
): Size => {
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  const scale = Math.min(1, longSide / long, shortSide / short);
  const even = (side: number): number => Math.max(2, 2 * Math.round((side * scale) / 2));
  return scale === 1 ? { width, height } : { width: even(width), height: even(height) };
};

/** The size with odd sides rounded up: our H.264 is 4:2:0, which has even sides only. */
export const evened = ({ width, height }: Size): Size => ({
  width: width + (width % 2),
  height: height + (height % 2),
});
