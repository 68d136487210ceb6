import { defaultFormat, ImageFormat, type OutputFormat } from '../../contract/media.ts';
import { Failure, type Fault } from '../../errors.ts';
import type { UpscaleOptions } from './request.ts';

/** The format of the result: as asked for, or the usual one for its kind. */
export const formatOf = (
  { output_format }: Pick<UpscaleOptions, 'output_format'>,
  kind: 'image' | 'video',
): OutputFormat => output_format ?? defaultFormat[kind];

/**
 * The options as the work will have them, defaults filled in, once the content has told the kind.
 * What does not go with that kind is refused. Pure.
 */
export const settleOptions = (options: UpscaleOptions, kind: 'image' | 'video'): UpscaleOptions => {
  const { model, scale, output } = options;
  const allowed: OutputFormat[] = kind === 'image' ? [...ImageFormat.options] : ['mp4'];
  const format = formatOf(options, kind);
  const faults: Fault[] = [];
  if (!allowed.includes(format)) {
    faults.push({
      pointer: '/output_format',
      code: 'not_allowed',
      detail: `Expected ${allowed.join(', ')} for ${kind === 'image' ? 'an image' : 'a video'}; got ${format}.`,
      allowed,
    });
  }
  if (format === 'jpeg' && output?.lossless) {
    faults.push({
      pointer: '/output/lossless',
      code: 'conflict',
      detail: 'Expected png, webp or avif with lossless; got jpeg, which is always lossy.',
    });
  }
  if (faults.length > 0) throw new Failure('validation_failed', {}, { faults });
  return { model, scale, output_format: format, ...(output && { output }) };
};
