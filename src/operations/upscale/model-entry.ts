/** What `GET /v1/models` says about a model that enlarges. */
import { z } from 'zod';
import { rateOf } from '../../accounts/list-price.ts';
import type { Config } from '../../config.ts';
import { ImageFormat, OutputFormat } from '../../contract/media.ts';
import {
  JsonSchema,
  modelShape,
  requestSchema,
  VideoSides,
  videoSides,
} from '../../contract/models.ts';
import { denoisesOf, isRealtime } from './options.ts';
import { Denoise, Effort, Scale, UpscaleModel, UpscaleOutput } from './request.ts';

export const UpscaleModelEntry = z
  .strictObject({
    ...modelShape,
    id: z
      .string()
      .describe('of what is swapped, priced and cached; a request names `model` and `effort`'),
    model: UpscaleModel.describe('for the `model` of a request'),
    effort: Effort.describe('for its `effort`'),
    operation: z.literal('upscale'),
    options: z.strictObject({
      scales: z.array(Scale),
      efforts: z.array(Effort).describe('of the model'),
      denoises: z.array(Denoise).describe('for `denoise`'),
      image_formats: z.array(OutputFormat),
      video_formats: z.array(OutputFormat),
      output: JsonSchema.describe('JSON Schema of the `output` field'),
    }),
    limits: z.strictObject({
      image: z.strictObject({
        max_bytes: z.int(),
        max_pixels: z.int(),
        max_output_side: z.int(),
      }),
      video: VideoSides.extend({
        max_bytes: z.int(),
        max_output_side: z.int(),
        max_output_pixels: z.number().describe('of all frames together'),
        max_seconds: z.int(),
        max_frames: z.int(),
      }),
    }),
    price: z.strictObject({
      credits_per_megapixel: z
        .number()
        .describe('of output; for video, per second of it, or per 30 frames where there are more'),
      minimum_credits: z.int(),
    }),
  })
  .meta({ id: 'UpscaleModelEntry' });

export const describeUpscale = (id: string, { limits, prices }: Config) => ({
  model: id.replace(/_realtime$/, ''),
  effort: isRealtime(id) ? 'realtime' : 'best',
  options: {
    scales: [...Scale.values],
    efforts: id === 'detail' ? ['best'] : [...Effort.options],
    denoises: [...denoisesOf(id)],
    image_formats: [...ImageFormat.options],
    video_formats: ['mp4'],
    output: requestSchema(z.strictObject(UpscaleOutput.shape)),
  },
  limits: {
    image: {
      max_bytes: limits.image.bytes,
      max_pixels: limits.image.pixels,
      max_output_side: limits.image.outputSide,
    },
    video: {
      ...videoSides(limits.video),
      max_bytes: limits.video.bytes,
      max_output_side: limits.video.outputSide,
      max_output_pixels: limits.video.outputPixels,
      max_seconds: limits.video.seconds,
      max_frames: limits.video.frames,
    },
  },
  price: { credits_per_megapixel: rateOf(prices, 'upscale', id), minimum_credits: 1 },
});
