import type { Picture, YuvPicture } from '../../../frame.ts';
import type { Box } from '../../../triton/clients/face-track.ts';
import type { LipsyncOptions } from '../request.ts';

/** Points a side at which a face is looked at: what a drawing is does not depend on its size. */
const SIDE = 160;
/** Codes that compression alone moves, in a face of this contrast; in a dimmer one every change is smaller. */
const STILL = 3;
const CONTRAST = 140;
/** Photographs and renderings reach 0.33, smoothed or dim ones 0.41; drawn faces begin at 0.58, as poor JPEGs at 0.48. */
const FLAT = 0.45;

/** Whether the face in the box is a flat drawing: most of it is the same as what is next to it. */
export const isFlat = (picture: Picture | YuvPicture, box: Box): boolean =>
  flatness(picture, box) > FLAT;

/** The style that was asked for, or else that of the face. */
export const styleOf = (
  { options: { style } }: LipsyncOptions,
  picture: Picture | YuvPicture,
  box: Box,
): 'photo' | 'flat' => {
  if (style !== 'auto') return style;
  return isFlat(picture, box) ? 'flat' : 'photo';
};

/** The share of a face where brightness is the same from one point to all around it. */
export const flatness = (picture: Picture | YuvPicture, [x1, y1, x2, y2]: Box): number => {
  const { width, height, pixels } = picture;
  // Of RGB, green stands for luma.
  const [stride, offset] = 'channels' in picture ? [picture.channels, 1] : [1, 0];
  const step = (Math.max(x2 - x1, y2 - y1) * 1.2) / SIDE;
  const [left, top] = [(x1 + x2 - step * SIDE) / 2, (y1 + y2 - step * SIDE) / 2];
  const within = (at: number, most: number) => Math.min(most - 1, Math.max(0, Math.round(at)));
  const columns = Array.from({ length: SIDE }, (_, i) => within(left + i * step, width));
  const luma = Array.from({ length: SIDE }, (_, i) => {
    const row = within(top + i * step, height) * width;
    return columns.map((column) => pixels[(row + column) * stride + offset] ?? 0);
  });
  const sorted = luma.flat().sort((a, b) => a - b);
  const [dark = 0, light = 0] = [0.05, 0.95].map((share) => sorted[Math.floor(share * SIDE ** 2)]);
  const least = Math.max(1, STILL * Math.min(1, (light - dark) / CONTRAST));
  let still = 0;
  for (let y = 1; y < SIDE - 1; y += 1) {
    for (let x = 1; x < SIDE - 1; x += 1) {
      const around = [y - 1, y, y + 1].flatMap((row) => luma[row]?.slice(x - 1, x + 2) ?? []);
      if (Math.max(...around) - Math.min(...around) < least) still += 1;
    }
  }
  return still / (SIDE - 2) ** 2;
};
