import type { Warning } from '../../contract/job.ts';
import type { ImageFormat } from '../../contract/media.ts';
import type { ImageInfo } from '../../media/info.ts';
import type { Upscaler } from '../../triton/clients/upscaler.ts';

type Depth = { readonly depth?: 16 | undefined; readonly warnings: readonly Warning[] };

/** Bits of a sample to work with: 16 where the image has them and the result is PNG, which alone can hold them. Decision 32. */
export const depthOf = (
  { depth, profile }: Pick<ImageInfo, 'depth' | 'profile'>,
  format: ImageFormat,
  { takesDeep }: Pick<Upscaler, 'takesDeep'>,
): Depth => {
  if (!depth || format !== 'png') return { warnings: [] };
  if (profile === 'grey16') return { warnings: [reduced('has a colour profile for grey')] };
  return takesDeep ? { depth, warnings: [] } : { warnings: [reduced(RELEASE)] };
};

const RELEASE = 'was enlarged by a release that takes 8 bits only';

const reduced = (why: string): Warning => ({
  code: 'depth_reduced',
  detail: `The image has 16 bits a sample and ${why}; the result has 8.`,
});
