import { z } from 'zod';
import { type Model, ModelList } from '../../contract/models.ts';
import type { ModelState } from '../../models/catalogue.ts';
import { madeForSeconds } from '../../operations/lip-sync/length.ts';
import {
  LipsyncModel,
  LipsyncOptions,
  Segment,
  Speaker,
  SyncMode,
} from '../../operations/lip-sync/request.ts';
import {
  ImageFormat,
  Scale,
  UpscaleModel,
  UpscaleOutput,
} from '../../operations/upscale/request.ts';
import type { Parts } from '../parts.ts';
import { route } from '../route.ts';

export const listModels = route({
  method: 'get',
  path: '/v1/models',
  summary: 'Every model with its options, limits, price, version, engine and whether it is ready',
  scope: 'read',
  rate: 'read',
  answer: { status: 200, body: ModelList },
  fails: [],
  handle: async (_, { models, config }) => ({
    object: 'list' as const,
    data: (await models.describe()).map((state) => describe(state, config)),
  }),
});

const describe = (state: ModelState, config: Parts['config']): Model => {
  const shared = { ready: state.ready, version: state.releases.video, engine: state.engine };
  const upscale = UpscaleModel.safeParse(state.id).data;
  if (upscale) return { ...shared, ...describeUpscale(upscale, config) };
  const lipsync = LipsyncModel.parse(state.id);
  const portrait_version = state.releases.image;
  return { ...shared, portrait_version, ...describeLipsync(lipsync, config) };
};

const purposes: Readonly<Record<UpscaleModel | LipsyncModel, string>> = {
  photo: 'photographs; stays truest to what is there',
  animation: 'drawings, cartoons and video of them',
  detail: 'photographs that lack detail; invents texture',
  fast: 'short clips of a talking head, and portraits; the quickest',
  balanced: 'clips of up to five minutes, with teeth of the person as the clip shows them',
  studio: 'close-ups and broadcast: what covers the mouth stays in front of it; the slowest',
};

const describeUpscale = (id: UpscaleModel, { limits, prices }: Parts['config']) => ({
  id,
  operation: 'upscale' as const,
  description: purposes[id],
  options: {
    scales: [...Scale.values],
    image_formats: [...ImageFormat.options],
    video_formats: ['mp4' as const],
    output: jsonSchema(z.strictObject(UpscaleOutput.shape)),
  },
  limits: {
    image: {
      max_bytes: limits.image.bytes,
      max_pixels: limits.image.pixels,
      max_output_side: limits.image.outputSide,
    },
    video: {
      ...sidesOf(limits.video),
      max_bytes: limits.video.bytes,
      max_output_side: limits.video.outputSide,
      max_output_pixels: limits.video.outputPixels,
      max_seconds: limits.video.seconds,
      max_frames: limits.video.frames,
    },
  },
  price: { credits_per_megapixel: prices.upscale[id], minimum_credits: 1 },
});

const describeLipsync = (id: LipsyncModel, { limits, prices }: Parts['config']) => ({
  id,
  operation: 'lipsync' as const,
  description: purposes[id],
  options: {
    sync_modes: [...SyncMode.options],
    output_formats: ['mp4' as const],
    speaker: jsonSchema(z.union(Speaker.options)),
    segment: jsonSchema(z.strictObject(Segment.shape)),
    options: jsonSchema(LipsyncOptions.shape.options),
  },
  limits: {
    portrait: { ...sidesOf(limits.lipsync), max_bytes: limits.image.bytes },
    video: {
      ...sidesOf(limits.lipsync),
      max_bytes: limits.lipsync.bytes,
      max_seconds: limits.lipsync.seconds,
      max_frames: limits.lipsync.frames,
    },
    audio: { max_bytes: limits.audio.bytes, max_seconds: limits.audio.seconds },
    best_up_to_seconds: madeForSeconds[id],
  },
  price: { credits_per_second: prices.lipsync[id], minimum_credits: 1 },
});

const sidesOf = ({ longSide, shortSide }: { longSide: number; shortSide: number }) => ({
  max_long_side: longSide,
  max_short_side: shortSide,
});

/** As a caller writes it: what has a default may be left out. */
const jsonSchema = (schema: z.ZodType): Record<string, unknown> => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
};
