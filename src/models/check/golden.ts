/** A picture made by formulas, and what any enlargement of it must have in common with it. */
import type { Picture } from '../../frame.ts';
import { psnrOf } from '../../psnr.ts';

const [width, height] = [96, 72] as const;

/** Edges, gradients, waves, and strokes as those of small print; no two channels alike. */
export const goldenPicture = (channels: 3 | 4): Picture => {
  const pixels = Buffer.alloc(width * height * channels);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * channels;
      for (const [channel, value] of colourAt(x, y).entries())
        pixels[at + channel] = Math.round(value);
      if (channels === 4) pixels[at + 3] = Math.round(255 * within(40 - distance(x, y, 48, 36)));
    }
  return { width, height, channels, pixels };
};

const colourAt = (x: number, y: number): readonly [number, number, number] => {
  const ground = [40 + 1.7 * x, 200 - 1.6 * y, 128 + 60 * Math.sin(x / 7) * Math.cos(y / 9)];
  const disc = within(18 - distance(x, y, 30, 30));
  const stroke = x >= 56 && y >= 40 && (x % 8 < 2 || (y % 12 < 2 && x % 24 < 16)) ? 0.8 : 0;
  const [r = 0, g = 0, b = 0] = ground
    .map((value, channel) => blended(value, [225, 70, 40][channel] ?? 0, disc))
    .map((value, channel) => blended(value, [25, 25, 45][channel] ?? 0, stroke));
  return [r, g, b];
};

const distance = (x: number, y: number, x0: number, y0: number): number =>
  Math.hypot(x - x0, y - y0);
const within = (value: number): number => Math.min(1, Math.max(0, value));
const blended = (a: number, b: number, share: number): number => a + (b - a) * share;

export type Likeness = {
  /** Peak signal-to-noise ratio of the colours, in dB, after the enlargement is averaged down again. */
  readonly psnr: number;
  /** The largest difference of a channel's mean over the picture, of 255. */
  readonly shift: number;
};

/** How much the enlargement, averaged down, is the picture. */
export const likeness = (picture: Picture, large: Picture): Likeness => {
  const scale = large.width / picture.width;
  const sums = [0, 0, 0];
  let squares = 0;
  for (let y = 0; y < picture.height; y += 1)
    for (let x = 0; x < picture.width; x += 1)
      for (const channel of [0, 1, 2]) {
        const own = picture.pixels[(y * picture.width + x) * picture.channels + channel] ?? 0;
        const difference = meanAt(large, { x, y, channel }, scale) - own;
        sums[channel] = (sums[channel] ?? 0) + difference;
        squares += difference ** 2;
      }
  const count = picture.width * picture.height;
  return {
    psnr: psnrOf(squares / (3 * count)),
    shift: Math.max(...sums.map((sum) => Math.abs(sum) / count)),
  };
};

type Place = { readonly x: number; readonly y: number; readonly channel: number };

/** The mean of the square of the enlargement that stands for one pixel. */
const meanAt = ({ width, channels, pixels }: Picture, { x, y, channel }: Place, scale: number) => {
  let sum = 0;
  for (let row = y * scale; row < (y + 1) * scale; row += 1)
    for (let column = x * scale; column < (x + 1) * scale; column += 1)
      sum += pixels[(row * width + column) * channels + channel] ?? 0;
  return sum / scale ** 2;
};
