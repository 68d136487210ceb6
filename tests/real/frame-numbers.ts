/** Clips whose pictures carry their number, so that it can be told which one came. */
import type { YuvPicture } from '../../src/frame.ts';
import { makeClip } from './clip.ts';

const BITS = 9;
const SIDE = 16;

/** Makes a clip of so many frames, 25 a second but for what `filters` do; `output` are ffmpeg's arguments. */
export const numberedClip = (
  path: string,
  frames: number,
  output: readonly string[],
  filters: readonly string[] = [],
): Promise<string> => {
  // Bit n of the number is the nth block from the left, bright or dark.
  const blocks = `format=gray,geq=lum='if(mod(floor(N/pow(2,floor(X/${SIDE}))),2),210,40)',format=yuv420p`;
  return makeClip(
    path,
    ['-f', 'lavfi', '-i', `color=c=black:size=${BITS * SIDE}x32:rate=25:duration=${frames / 25}`],
    ['-vf', [blocks, ...filters].join(','), ...output],
  );
};

export const numberOf = ({ width, pixels }: YuvPicture): number => {
  const bits = Array.from({ length: BITS }, (_, bit) => {
    const code = pixels[SIDE * width + bit * SIDE + SIDE / 2] ?? 0;
    return code > 125 ? 2 ** bit : 0;
  });
  return bits.reduce((sum, bit) => sum + bit, 0);
};
