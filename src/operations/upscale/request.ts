import { z } from 'zod';
import { resultShape } from '../../contract/job.ts';
import { defaultFormat, OutputFormat, SourceUrl } from '../../contract/media.ts';

export const UpscaleModel = z.enum(['photo', 'animation', 'detail']).meta({ id: 'UpscaleModel' });
export type UpscaleModel = z.infer<typeof UpscaleModel>;

export const Effort = z
  .enum(['realtime', 'best'])
  .describe(
    'how much work goes into each frame: `realtime` keeps up with playing, for a tenth of the price; `realtime` for videos and `best` for images unless given; `detail` has `best` only',
  )
  .meta({ id: 'UpscaleEffort' });
export type Effort = z.infer<typeof Effort>;

export const DENOISES = ['auto', 'off', 1, 2, 3] as const;
export const Denoise = z
  .union(
    [
      z.enum(['auto', 'off']),
      // The names that generated clients give to the numbers.
      z.literal([1, 2, 3]).meta({ 'x-enum-varnames': ['LIGHT', 'MEDIUM', 'STRONG'] }),
    ],
    'Expected auto, off, 1, 2 or 3',
  )
  .describe(
    'removes compression blocks and noise, as much as is measured (`auto`), nothing (`off`), or from a little (1) to most of it (3). The numbers are for `photo` with `effort` `best`; with the other models and `realtime`, `auto` removes measured noise, and the blocks of MPEG-2, MPEG-4 and codecs like them, from videos only, and `animation` with `best` frees the flat colours of JPEGs from what compression left. Unless it is `off`, parts of a video that stand still flicker less',
  )
  .meta({ id: 'UpscaleDenoise', default: 'auto' });
export type Denoise = z.infer<typeof Denoise>;

export const Scale = z
  .literal([2, 4, 8])
  .describe('how many times as wide and as high the result is')
  // The names that generated clients give to the numbers.
  .meta({ id: 'UpscaleScale', 'x-enum-varnames': ['X2', 'X4', 'X8'] });
export type Scale = z.infer<typeof Scale>;

export const UpscaleOutput = z
  .strictObject({
    quality: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe('for jpeg, webp, avif and mp4; higher is better and larger'),
    lossless: z.boolean().optional().describe('for webp, avif and mp4; png is always lossless'),
    metadata: z
      .enum(['keep', 'strip'])
      .optional()
      .describe(
        'EXIF and XMP of an image, texts, creation time and place of a video; stripped unless asked to keep',
      ),
    background: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'Expected a colour as #rrggbb')
      .optional()
      .describe('#rrggbb put behind transparency where the format has none; white unless given'),
  })
  .meta({ id: 'UpscaleOutput' });
export type UpscaleOutput = z.infer<typeof UpscaleOutput>;

const options = {
  model: UpscaleModel,
  scale: Scale,
  effort: Effort.optional(),
  denoise: Denoise.optional(),
  output_format: OutputFormat.optional().describe(
    `unless given, ${defaultFormat.image} for images and ${defaultFormat.video} for videos`,
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
    image_url: SourceUrl.optional().describe(
      'image or video to enhance: PNG, JPEG, WebP, HEIC, MP4, MOV, WebM and more',
    ),
    video_url: SourceUrl.optional().describe(
      'the same as image_url: the content decides whether it is an image or a video',
    ),
  })
  .meta({ id: 'UpscaleRequest' });
export type UpscaleRequest = z.infer<typeof UpscaleRequest>;

export const UpscaleResult = z
  .strictObject({
    ...resultShape,
    model_used: UpscaleModel,
    scale: Scale,
    effort: Effort,
    duration_seconds: z.number().optional().describe('video only'),
    frames: z.int().optional().describe('video only'),
    fps: z.number().optional().describe('video only'),
  })
  .meta({ id: 'UpscaleResult' });
export type UpscaleResult = z.infer<typeof UpscaleResult>;
