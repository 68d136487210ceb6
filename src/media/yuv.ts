import { evened, type Size, type YuvPicture } from '../frame.ts';

/** The bytes of a picture in 8-bit 4:2:0, chroma of odd sides rounded up. */
export const yuvBytes = ({ width, height }: Size): number =>
  width * height + 2 * Math.ceil(width / 2) * Math.ceil(height / 2);

/**
 * The picture with even sides: an odd one grows by a copy of its last column or row. Its chroma, rounded up, is that
 * of the larger picture already.
 */
export const evenLuma = ({ width, height, pixels }: YuvPicture): YuvPicture => {
  const size = evened({ width, height });
  if (size.width === width && size.height === height) return { width, height, pixels };
  // In memory of its own, which is used again for later pictures.
  const grown = Buffer.allocUnsafeSlow(yuvBytes(size));
  for (let y = 0; y < size.height; y += 1) {
    const from = Math.min(y, height - 1) * width;
    const end = y * size.width + pixels.copy(grown, y * size.width, from, from + width);
    if (size.width > width) grown[end] = pixels[from + width - 1] ?? 0;
  }
  pixels.copy(grown, size.width * size.height, width * height);
  return { ...size, pixels: grown };
};
