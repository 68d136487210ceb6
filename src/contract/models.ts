import { z } from 'zod';
import { LipsyncModel, SyncMode } from '../operations/lip-sync/request.ts';
import { OutputFormat, Scale, UpscaleModel } from '../operations/upscale/request.ts';

const ImageLimits = z.strictObject({
  max_bytes: z.int(),
  max_pixels: z.int(),
  max_output_side: z.int(),
});
const VideoSides = z.strictObject({ max_long_side: z.int(), max_short_side: z.int() });
const VideoLimits = VideoSides.extend({
  max_bytes: z.int(),
  max_output_side: z.int(),
  max_output_pixels: z.number().describe('of all frames together'),
  max_seconds: z.int(),
  max_frames: z.int(),
});

const JsonSchema = z.record(z.string(), z.unknown());
const Version = z.string().nullable();
const shared = {
  description: z.string(),
  ready: z.boolean(),
  version: Version.describe('release that new jobs get; null while not known'),
  engine: z.string().nullable().describe('what runs it; null while not known'),
};

const UpscaleEntry = z
  .strictObject({
    ...shared,
    id: UpscaleModel,
    operation: z.literal('upscale'),
    options: z.strictObject({
      scales: z.array(Scale),
      image_formats: z.array(OutputFormat),
      video_formats: z.array(OutputFormat),
      output: JsonSchema.describe('JSON Schema of the `output` field'),
    }),
    limits: z.strictObject({ image: ImageLimits, video: VideoLimits }),
    price: z.strictObject({
      credits_per_megapixel: z
        .number()
        .describe('of output; for video, per second of it, or per 30 frames where there are more'),
      minimum_credits: z.int(),
    }),
  })
  .meta({ id: 'UpscaleModelEntry' });

const LipsyncEntry = z
  .strictObject({
    ...shared,
    id: LipsyncModel,
    operation: z.literal('lipsync'),
    portrait_version: Version.describe('`version` of jobs whose input is a portrait'),
    options: z.strictObject({
      sync_modes: z.array(SyncMode),
      output_formats: z.array(z.literal('mp4')),
      speaker: JsonSchema.describe('JSON Schema of the `speaker` field'),
      segment: JsonSchema.describe('JSON Schema of an entry of the `segments` field'),
      options: JsonSchema.describe('JSON Schema of the `options` field'),
    }),
    limits: z.strictObject({
      portrait: VideoSides.extend({ max_bytes: z.int() }),
      video: VideoSides.extend({
        max_bytes: z.int(),
        max_seconds: z.int(),
        max_frames: z.int().describe('of the clip, and of the result'),
      }),
      audio: z.strictObject({ max_bytes: z.int(), max_seconds: z.int() }),
      best_up_to_seconds: z.int().describe('a longer result has a warning'),
    }),
    price: z.strictObject({
      credits_per_second: z.number().describe('of output, or per 30 frames where there are more'),
      minimum_credits: z.int(),
    }),
  })
  .meta({ id: 'LipsyncModelEntry' });

export const Model = z
  .discriminatedUnion('operation', [UpscaleEntry, LipsyncEntry])
  .meta({ id: 'Model' });
export type Model = z.infer<typeof Model>;

export const ModelList = z
  .strictObject({ object: z.literal('list'), data: z.array(Model) })
  .meta({ id: 'ModelList' });
export type ModelList = z.infer<typeof ModelList>;
