import { defaultFormat, ImageFormat, type OutputFormat } from '../../contract/media.ts';
import { Failure, type Fault } from '../../errors.ts';
import {
  DENOISES,
  type Denoise,
  type Effort,
  type UpscaleModel,
  type UpscaleOptions,
} from './request.ts';

/** The format of the result: as asked for, or the usual one for its kind. */
export const formatOf = (
  { output_format }: Pick<UpscaleOptions, 'output_format'>,
  kind: 'image' | 'video',
): OutputFormat => output_format ?? defaultFormat[kind];

/** Of jobs that were made before there was a choice: `best`. */
export const effortOf = ({ effort }: UpscaleOptions): Effort => effort ?? 'best';

/** Which of the operation's models does the work. */
export const variantOf = (options: UpscaleOptions): string =>
  effortOf(options) === 'realtime' ? `${options.model}_realtime` : options.model;

export const isRealtime = (variant: string): boolean => variant.endsWith('_realtime');

/** What is done; of jobs that were made before there was a choice: `off`. */
export const denoiseOf = (options: UpscaleOptions): Denoise =>
  isDenoising(variantOf(options)) ? (options.denoise ?? 'off') : 'off';

const isDenoising = (variant: string): boolean => variant === 'photo';

/** What a variant can be asked for. */
export const denoisesOf = (variant: string): readonly Denoise[] =>
  isDenoising(variant) ? DENOISES : ['auto', 'off'];

const settleDenoise = (variant: string, asked: Denoise = 'auto'): Denoise => {
  const allowed = denoisesOf(variant);
  if (!allowed.includes(asked))
    throw new Failure('unsupported_option_for_model', {
      option: 'denoise',
      model: variant,
      allowed: allowed.join(' or '),
      got: asked,
    });
  return asked;
};

const usualEffort = (model: UpscaleModel, kind: 'image' | 'video'): Effort =>
  kind === 'video' && model !== 'detail' ? 'realtime' : 'best';

/**
 * The options as the work will have them, defaults filled in, once the kind is known from the content.
 * What does not go with that kind is refused. Pure.
 */
export const settleOptions = (options: UpscaleOptions, kind: 'image' | 'video'): UpscaleOptions => {
  const { model, scale, output, effort = usualEffort(model, kind) } = options;
  if (model === 'detail' && effort === 'realtime')
    throw new Failure('unsupported_option_for_model', {
      option: 'effort',
      model,
      allowed: 'best',
      got: effort,
    });
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
  const settled = { model, scale, effort, output_format: format, ...(output && { output }) };
  return { ...settled, denoise: settleDenoise(variantOf(settled), options.denoise) };
};
