import { evened, type YuvPicture, yuvBytes } from '../frame.ts';

/**
 * The picture with even sides: an odd side grows by a copy of its last column or row. The chroma, whose size was rounded
 * up, stays the same.
 */
export const evenLuma = ({ width, height, pixels }: YuvPicture): YuvPicture => {
  const size = evened({ width, height });
  if (size.width === width && size.height === height) return { width, height, pixels };
  // Not from Buffer's shared pool: readers use this memory again for later pictures.
  const grown = Buffer.allocUnsafeSlow(yuvBytes(size));
  for (let y = 0; y < size.height; y += 1) {
    const from = Math.min(y, height - 1) * width;
    const end = y * size.width + pixels.copy(grown, y * size.width, from, from + width);
    if (size.width > width) grown[end] = pixels[from + width - 1] ?? 0;
  }
  pixels.copy(grown, size.width * size.height, width * height);
  return { ...size, pixels: grown };
};
