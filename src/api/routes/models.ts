import { z } from 'zod';
import { type Model, ModelList } from '../../contract/models.ts';
import { ImageFormat, Scale, type UpscaleModel, UpscaleOutput } from '../../contract/upscale.ts';
import type { ModelState, Parts } from '../parts.ts';
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

const purposes: Readonly<Record<UpscaleModel, string>> = {
  photo: 'photographs; stays truest to what is there',
  animation: 'drawings, cartoons and video of them',
  detail: 'photographs that lack detail; invents texture',
};

const { $schema: _, ...outputSchema } = z.toJSONSchema(z.strictObject(UpscaleOutput.shape));

const describe = (state: ModelState, { limits, prices }: Parts['config']): Model => {
  const { image, video } = limits;
  return {
    id: state.id,
    operation: 'upscale',
    description: purposes[state.id],
    ready: state.ready,
    version: state.release,
    engine: state.engine,
    options: {
      scales: [...Scale.values],
      image_formats: [...ImageFormat.options],
      video_formats: ['mp4'],
      output: outputSchema,
    },
    limits: {
      image: {
        max_bytes: image.bytes,
        max_pixels: image.pixels,
        max_output_side: image.outputSide,
      },
      video: {
        max_bytes: video.bytes,
        max_long_side: video.longSide,
        max_short_side: video.shortSide,
        max_output_side: video.outputSide,
        max_seconds: video.seconds,
      },
    },
    price: { credits_per_megapixel: prices.upscale[state.id] ?? 0, minimum_credits: 1 },
  };
};
