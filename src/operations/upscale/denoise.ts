/** How much of blocks and noise is taken away, from what an option says. Pure. */
import type { Warning } from '../../contract/job.ts';
import type { ImageInfo, VideoInfo } from '../../media/info.ts';
import { H264, JPEG, type Level, MEASURED, type Upscaler } from '../../triton/clients/upscaler.ts';
import type { Cleaning } from './cleaning.ts';
import { denoiseOf } from './options.ts';
import type { UpscaleOptions } from './request.ts';

type Release = Pick<Upscaler, 'levels'>;
export type Found =
  | (Pick<VideoInfo, 'kind'> & Partial<Pick<Cleaning, 'isClear'>>)
  | Pick<ImageInfo, 'kind' | 'lossyBits'>;

/**
 * Bits of a pixel in a lossy WebP or an AVIF. With less than the first, what is for H.264 is truest; from the second on,
 * nothing is gained by taking away what the format left, but noise may be what takes the bits: docs/decisions/0054 and 0121.
 */
const [FEW, MANY] = [0.9, 2];

/** The steps of a JPEG from which each level, up to JPEG, is the truest: those of enhance/upscale/damage.py. */
export const JPEG_STEPS = [2, 5, 8, 18] as const;

/**
 * What the release is asked for. What a JPEG did can be measured; what a video's encoder did differs from frame to frame and
 * from place to place, and one level for all frames is what does not flicker: 1 where it did little, and for releases without
 * one for H.264. Lossy WebP and AVIF are coded as frames of a video are, and told by their bits. `animation` was trained on
 * compressed pictures: only what a JPEG left is taken away, not noise (docs/decisions/0272).
 */
export const levelOf = (options: UpscaleOptions, found: Found, { levels }: Release): Level => {
  const denoise = denoiseOf(options);
  if (denoise === 'off' || !levels.length) return 0;
  if (denoise !== 'auto') return denoise;
  if (options.model === 'animation') return found.kind === 'image' ? MEASURED : 0;
  if (found.kind === 'video') return levels.includes(H264) && !found.isClear ? H264 : 1;
  const bits = found.lossyBits;
  if (bits === undefined || bits >= MANY) return MEASURED;
  return bits < FEW && levels.includes(H264) ? H264 : 1;
};

/**
 * The level of a JPEG by its own quantisation table. The level that is measured may be higher, where an earlier and coarser
 * JPEG was saved again. On text and drawings measuring fails, so the table is needed: docs/decisions/0094.
 */
export const statedLevel = (
  { jpegStep = 0 }: Pick<ImageInfo, 'jpegStep'>,
  { levels }: Release,
): Level =>
  Math.min(JPEG_STEPS.filter((step) => jpegStep >= step).length, levels.includes(JPEG) ? JPEG : 3);

/** The warning for a request that asks for what the release cannot do. */
export const denoiseWarnings = (
  options: UpscaleOptions,
  { levels }: Release,
): readonly Warning[] => {
  const isNamed = !['auto', 'off'].includes(String(denoiseOf(options)));
  return isNamed && !levels.length ? [UNABLE] : [];
};

const UNABLE: Warning = {
  code: 'not_denoised',
  detail: 'It was enlarged by a release that does not take away blocks and noise.',
};
