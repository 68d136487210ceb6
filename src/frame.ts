/** Width and height in pixels. */
export type Size = { readonly width: number; readonly height: number };

/** Interleaved 8-bit pixels, rows top to bottom: 3 channels are RGB, 4 are RGB and straight alpha. */
export type Picture = Size & {
  readonly channels: 3 | 4;
  /** Exactly width * height * channels bytes. */
  readonly pixels: Buffer;
};

/** A picture of a video with its place in time. The receiver owns the pixels. */
export type Frame = Picture & {
  readonly index: number;
  /** Presentation time in seconds from the start of the file. */
  readonly time: number;
  /** How long the frame is shown, in seconds. */
  readonly duration: number;
};

export const scaled = ({ width, height }: Size, scale: number): Size => ({
  width: width * scale,
  height: height * scale,
});

/** "1280x720", as the contract writes sizes. */
export const sizeText = ({ width, height }: Size): string => `${width}x${height}`;
