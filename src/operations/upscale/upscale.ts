/** Enlarges images and videos. */
import { z } from 'zod';
import { JobInput } from '../../contract/job.ts';
import type { OutputFormat } from '../../contract/media.ts';
import { MediaInfo } from '../../media/info.ts';
import type { Edit } from '../../provenance/edit.ts';
import { realtimeSlot } from '../../triton/clients/realtime.ts';
import { askEngine, upscalerSlot } from '../../triton/clients/upscaler.ts';
import { operation } from '../operation.ts';
import { calmingOf } from './calm.ts';
import { upscaleCommand } from './cli.ts';
import { upscaleExample } from './example.ts';
import { describeUpscale, UpscaleModelEntry } from './model-entry.ts';
import { denoiseOf, effortOf, formatOf, isRealtime, variantOf } from './options.ts';
import { identifyUpscale, prepareUpscale } from './prepare.ts';
import { UpscaleOptions, UpscaleRequest, UpscaleResult } from './request.ts';

const INVENTS_TEXTURE: Edit = {
  description: 'Enlarged by a trained model, which invents texture that the input does not show.',
  sourceType: 'compositeWithTrainedAlgorithmicMedia',
  ingredients: [{ role: 'media', title: 'input', relationship: 'parentOf' }],
};

/**
 * To be raised when the service itself makes another file of the same request, so that the cache does not answer with the
 * old one. A change of a model raises its release instead.
 */
const WORK = 2;

/** The fields of `output` that change a file of this format: what differs in others is charged once (decision 140). */
const writtenBy = (format: OutputFormat, { output = {} }: UpscaleOptions): unknown[] => {
  const { quality = null, lossless = false, metadata = 'strip', background = '#ffffff' } = output;
  return [
    lossless || format === 'png' ? 'lossless' : quality,
    format === 'mp4' && metadata === 'strip' ? null : metadata,
    format === 'jpeg' ? background.toLowerCase() : null,
  ];
};

export const upscale = operation({
  kind: 'upscale',
  title: 'Upscale',
  summary: 'Enlarge an image or a video',
  // Rates: credits for a megapixel of output, of a second for video.
  models: {
    photo: { description: 'photographs; stays closest to the original', rate: 0.5, release: 's19' },
    animation: { description: 'drawings, cartoons and video of them', rate: 0.5, release: 's13' },
    photo_realtime: {
      model: 'photo',
      description: 'photo with effort realtime: as fast as a video plays',
      rate: 0.05,
      release: 's12',
    },
    animation_realtime: {
      model: 'animation',
      description: 'animation with effort realtime: as fast as a video plays',
      rate: 0.05,
      release: 's12',
    },
    detail: {
      description:
        'photographs that lack detail; invents texture, takes about 30 times as long as photo, and flickers in videos',
      rate: 2,
      release: 's14',
    },
  },

  request: UpscaleRequest,
  sources: [['image', 'video']],
  refusals: ['output_too_large', 'unsupported_option_for_model'],
  failures: [],

  options: UpscaleOptions,
  shownOptions: UpscaleOptions,
  input: JobInput,
  found: MediaInfo,
  details: z.object({
    duration_seconds: z.number().optional(),
    frames: z.number().optional(),
    fps: z.number().optional(),
  }),
  result: UpscaleResult,
  tell: ({ options }) => ({ fields: { scale: options.scale, effort: effortOf(options) } }),
  // The others only compute what lies between the pixels that are there.
  edit: ({ model }) => (model === 'detail' ? INVENTS_TEXTURE : null),
  label: ({ model, scale }) => `${model}-${scale}x`,
  format: (options, inputKind) => formatOf(options, inputKind),

  identify: identifyUpscale,
  identity: ({ options, inputKind }) => {
    const format = formatOf(options, inputKind);
    const work = [WORK, variantOf(options), options.scale, format, ...writtenBy(format, options)];
    return inputKind === 'image'
      ? [...work, denoiseOf(options)]
      : [...work, options.denoise ?? 'off', ...calmingOf(options)];
  },
  prepare: prepareUpscale,
  quickInput: 'image',
  // Only a worker needs decoders and encoders.
  run: async (task) => (await import('./run.ts')).runUpscale(task),
  help: async (chunk) => (await import('./chunks.ts')).helpUpscale(chunk),

  variant: (options) => ({ model: variantOf(options), by: `effort ${effortOf(options)}` }),
  slots: (model) => {
    const slot = isRealtime(model) ? realtimeSlot(model) : upscalerSlot(model);
    return { image: [slot], video: [slot] };
  },
  engine: (model, models, transport, signal) => askEngine(transport, models.of(model), signal),
  modelEntry: UpscaleModelEntry,
  describe: describeUpscale,
  example: upscaleExample,
  command: upscaleCommand,
});
