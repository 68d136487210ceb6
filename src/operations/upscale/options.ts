import { defaultFormat, ImageFormat, type OutputFormat } from '../../contract/media.ts';
import { Failure, type Fault } from '../../errors.ts';
import { oneOf } from '../../text/expected.ts';
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
  CLEANING.includes(variantOf(options)) ? (options.denoise ?? 'off') : 'off';

/** The variants that take away what a JPEG left. */
const CLEANING = ['photo', 'animation'];

/** What a variant can be asked for: only `photo` has fixed levels. */
export const denoisesOf = (variant: string): readonly Denoise[] =>
  variant === 'photo' ? DENOISES : ['auto', 'off'];

const settleDenoise = (options: UpscaleOptions, asked: Denoise = 'auto'): Denoise => {
  const allowed = denoisesOf(variantOf(options));
  if (!allowed.includes(asked))
    throw unsupported(
      'denoise',
      asked,
      allowed,
      `${options.model} with effort ${effortOf(options)}`,
    );
  return asked;
};

/** What the model is asked for and does not do. */
const unsupported = (
  option: 'effort' | 'denoise',
  got: Effort | Denoise,
  allowed: readonly (Effort | Denoise)[],
  model: string,
): Failure => {
  const detail = `Expected ${option} ${oneOf(allowed.map(String))} for the model ${model}; got ${got}.`;
  const fault = { pointer: `/${option}`, code: 'not_allowed', detail, allowed };
  return new Failure('unsupported_option_for_model', { detail }, { faults: [fault] });
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
    throw unsupported('effort', effort, ['best'], model);
  const allowed: OutputFormat[] = kind === 'image' ? [...ImageFormat.options] : ['mp4'];
  const format = formatOf(options, kind);
  const faults: Fault[] = [];
  if (!allowed.includes(format)) {
    faults.push({
      pointer: '/output_format',
      code: 'not_allowed',
      detail: `Expected ${oneOf(allowed)} for ${kind === 'image' ? 'an image' : 'a video'}; got ${format}.`,
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
  return { ...settled, denoise: settleDenoise(settled, options.denoise) };
};
