/** How much of blocks and noise is taken away, from what an option says. Pure. */
import type { Warning } from '../../contract/job.ts';
import { type Level, MEASURED, type Upscaler } from '../../triton/clients/upscaler.ts';
import { denoiseOf } from './options.ts';
import type { UpscaleOptions } from './request.ts';

type Release = Pick<Upscaler, 'denoises'>;

/** For H.264 at any crf from 20 on it is truer than none; 2 is so from 28 on, and takes too much away at 20. */
const VIDEO: Level = 1;

/**
 * What the release is asked for. What a JPEG did can be measured; what a video's encoder did differs from frame to frame and
 * from place to place, and one level for all frames is what does not flicker.
 */
export const levelOf = (
  options: UpscaleOptions,
  kind: 'image' | 'video',
  { denoises }: Release,
): Level => {
  const denoise = denoiseOf(options);
  if (denoise === 'off' || !denoises) return 0;
  if (denoise !== 'auto') return denoise;
  return kind === 'image' ? MEASURED : VIDEO;
};

/** For who asked for what the release cannot do. */
export const denoiseWarnings = (
  options: UpscaleOptions,
  { denoises }: Release,
): readonly Warning[] => {
  const isNamed = !['auto', 'off'].includes(String(denoiseOf(options)));
  return isNamed && !denoises ? [UNABLE] : [];
};

const UNABLE: Warning = {
  code: 'not_denoised',
  detail: 'It was enlarged by a release that does not take away blocks and noise.',
};
