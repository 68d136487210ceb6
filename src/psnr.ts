/**
 * The peak signal-to-noise ratio (PSNR) in dB: how alike two pictures are whose 8-bit values have this mean squared difference.
 * 138 where they are equal.
 */
export const psnrOf = (meanSquaredDifference: number): number =>
  10 * Math.log10(255 ** 2 / Math.max(meanSquaredDifference, 1e-9));
