import { z } from 'zod';
import { OutputFormat, Scale, UpscaleModel } from './upscale.ts';

const ImageLimits = z.strictObject({
  max_bytes: z.int(),
  max_pixels: z.int(),
  max_output_side: z.int(),
});
const VideoLimits = z.strictObject({
  max_bytes: z.int(),
  max_long_side: z.int(),
  max_short_side: z.int(),
  max_output_side: z.int(),
  max_seconds: z.int(),
});

export const Model = z
  .strictObject({
    id: UpscaleModel,
    operation: z.literal('upscale'),
    description: z.string(),
    ready: z.boolean(),
    version: z.string().nullable().describe('release that new jobs get; null while not known'),
    engine: z.string().nullable().describe('what runs it; null while not known'),
    options: z.strictObject({
      scales: z.array(Scale),
      image_formats: z.array(OutputFormat),
      video_formats: z.array(OutputFormat),
      output: z.record(z.string(), z.unknown()).describe('JSON Schema of the `output` field'),
    }),
    limits: z.strictObject({ image: ImageLimits, video: VideoLimits }),
    price: z.strictObject({
      credits_per_megapixel: z.number().describe('of output; for video, per second of it'),
      minimum_credits: z.int(),
    }),
  })
  .meta({ id: 'Model' });
export type Model = z.infer<typeof Model>;

export const ModelList = z
  .strictObject({ object: z.literal('list'), data: z.array(Model) })
  .meta({ id: 'ModelList' });
export type ModelList = z.infer<typeof ModelList>;
