import { z } from 'zod';
import { resultShape } from '../../contract/job.ts';
import { defaultFormat, OutputFormat, SourceUrl, UpscaleOutput } from '../../contract/media.ts';

export const UpscaleModel = z.enum(['photo', 'animation', 'detail']).meta({ id: 'UpscaleModel' });
export type UpscaleModel = z.infer<typeof UpscaleModel>;

export const Scale = z.literal([2, 4, 8]).describe('output pixels per input pixel, on each axis');
export type Scale = z.infer<typeof Scale>;

const options = {
  model: UpscaleModel,
  scale: Scale,
  output_format: OutputFormat.optional().describe(
    `${defaultFormat.image} for images and ${defaultFormat.video} for videos unless given`,
  ),
  output: UpscaleOutput.optional(),
};

/** What the work depends on, apart from the media itself. */
export const UpscaleOptions = z.strictObject(options).meta({ id: 'UpscaleOptions' });
export type UpscaleOptions = z.infer<typeof UpscaleOptions>;

/** The JSON body. That exactly one source came is checked where the body is read, with the file parts. */
export const UpscaleRequest = z
  .strictObject({
    ...options,
    image_url: SourceUrl.optional().describe('image to enhance; the content decides its kind'),
    video_url: SourceUrl.optional().describe('video to enhance; the content decides its kind'),
  })
  .meta({ id: 'UpscaleRequest' });
export type UpscaleRequest = z.infer<typeof UpscaleRequest>;

export const UpscaleResult = z
  .strictObject({
    ...resultShape,
    model_used: UpscaleModel,
    scale: Scale,
    duration_seconds: z.number().optional().describe('video only'),
    frames: z.int().optional().describe('video only'),
    fps: z.number().optional().describe('video only'),
  })
  .meta({ id: 'UpscaleResult' });
export type UpscaleResult = z.infer<typeof UpscaleResult>;
