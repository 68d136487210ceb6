/** What `GET /v1/models` says about a model that synchronises lips. */
import { z } from 'zod';
import { rateOf } from '../../accounts/list-price.ts';
import type { Config } from '../../config.ts';
import {
  JsonSchema,
  ModelVersion,
  modelShape,
  requestSchema,
  VideoSides,
  videoSides,
} from '../../contract/models.ts';
import type { InputKind } from '../operation.ts';
import { madeForSeconds } from './length.ts';
import { LipsyncModel, LipsyncTuning, Segment, Speaker, SyncMode } from './request.ts';

export const LipsyncModelEntry = z
  .strictObject({
    ...modelShape,
    id: LipsyncModel,
    operation: z.literal('lipsync'),
    portrait_version: ModelVersion.describe('`version` of jobs whose input is a portrait'),
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

export const describeLipsync = (
  id: string,
  { limits, prices }: Config,
  releases: Readonly<Record<InputKind, string | null>>,
) => ({
  portrait_version: releases.image,
  options: {
    sync_modes: [...SyncMode.options],
    output_formats: ['mp4'],
    speaker: requestSchema(z.union(Speaker.options)),
    segment: requestSchema(z.strictObject(Segment.shape)),
    options: requestSchema(z.strictObject(LipsyncTuning.shape)),
  },
  limits: {
    portrait: { ...videoSides(limits.lipsync), max_bytes: limits.image.bytes },
    video: {
      ...videoSides(limits.lipsync),
      max_bytes: limits.lipsync.bytes,
      max_seconds: limits.lipsync.seconds,
      max_frames: limits.lipsync.frames,
    },
    audio: { max_bytes: limits.audio.bytes, max_seconds: limits.audio.seconds },
    best_up_to_seconds: madeForSeconds[LipsyncModel.parse(id)],
  },
  price: { credits_per_second: rateOf(prices, 'lipsync', id), minimum_credits: 1 },
});
