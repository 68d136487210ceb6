import type { Picture } from '../../src/frame.ts';

/** The picture as an uncompressed BMP, its rows from bottom to top as is usual, or from top to bottom. */
export const bmpOf = (
  { width, height, channels, pixels }: Picture,
  { topDown = false }: { readonly topDown?: boolean } = {},
): Buffer => {
  const stride = Math.ceil((width * channels) / 4) * 4;
  const file = Buffer.alloc(54 + stride * height);
  file.write('BM');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(54, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(topDown ? -height : height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(8 * channels, 28);
  for (let y = 0; y < height; y += 1) {
    const row = 54 + stride * (topDown ? y : height - 1 - y);
    for (let x = 0; x < width; x += 1) {
      const [r = 0, g = 0, b = 0, alpha] = pixels.subarray((y * width + x) * channels);
      const bytes = channels === 4 ? [b, g, r, alpha ?? 0] : [b, g, r];
      file.set(bytes, row + x * channels);
    }
  }
  return file;
};
