/** Which requests are the same work. Pure. */
import { createHash } from 'node:crypto';
import type { JobKind } from '../contract/job.ts';
import { defaultFormat, type UpscaleOptions } from '../contract/upscale.ts';

export type Fingerprinted = {
  readonly account: string;
  readonly kind: JobKind;
  /** Of the media's content. */
  readonly sha256: string;
  readonly mediaKind: 'image' | 'video';
  readonly options: UpscaleOptions;
  readonly modelVersion: string;
};

/** Equal for equal work; what was left out counts as its default. 64 hexadecimal digits. */
export const fingerprint = (work: Fingerprinted): string => {
  const { model, scale } = work.options;
  const what = [
    ...[work.account, work.kind, work.sha256, work.mediaKind, work.modelVersion],
    ...[model, scale, ...outputOf(work)],
  ];
  return createHash('sha256').update(JSON.stringify(what)).digest('hex');
};

/** `output_format` as it will be made. */
export const formatOf = ({ options, mediaKind }: Pick<Fingerprinted, 'options' | 'mediaKind'>) =>
  options.output_format ?? defaultFormat[mediaKind];

const outputOf = (work: Fingerprinted) => {
  const {
    quality = null,
    lossless = false,
    metadata = 'strip',
    background,
  } = work.options.output ?? {};
  return [formatOf(work), quality, lossless, metadata, (background ?? '#ffffff').toLowerCase()];
};
