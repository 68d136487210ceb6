/** What is said, and how the subject's own mouth moves, to a mouth shape for each picture. */
import { modelUnavailable } from '../protocol/faults.ts';
import { floatsOf, fp32, int32, intsOf, type Tensor, uint8 } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import {
  floats,
  integers,
  type LoadedModel,
  type OutputsByName,
  openModel,
  type Slot,
} from './model.ts';
import { CLASSES, type Heard } from './speech.ts';

/** Numbers of a mouth shape: opening, width, rounding, height of the upper lip, height of the corners, press, labiodental, tongue, jaw, chin. */
export const SHAPE = 10;
const REFERENCES = 4;
/** How much a plan and a renderer take upon themselves, by the model that callers choose. */
export type Quality = 'fast' | 'balanced' | 'studio';
/** The place of a model in this list is its number in QUALITY. */
const qualities: readonly Quality[] = ['fast', 'balanced', 'studio'];
/** The most pictures that are named as showing the inside of the mouth. */
const BANK = 24;

export type PlanRequest = {
  /** The new sound, and what `speech` heard in it. */
  readonly pcm: Float32Array;
  readonly heard: Heard;
  /** When each picture of the output is shown, in seconds from the start of the new sound. */
  readonly times: Float32Array;
  /** The mesh points named by `MouthPlan.points` in each known picture: x, y, z in pixels; all NaN where there is no face. */
  readonly points: Float32Array;
  /** When each known picture is shown, in seconds from the first. */
  readonly pointTimes: Float32Array;
  /** For each known picture 1 where the plan may learn from it, else 0. */
  readonly learn: Buffer;
  /** The clip's own sound; empty when it has none. */
  readonly ownPcm: Float32Array;
  readonly ownHeard: Heard | null;
  /** 0..1; at 0.5 the mouth moves as far as the subject's own does. */
  readonly expressiveness: number;
  readonly quality: Quality;
  /** Whether the mouth is to be late by `lagSeconds`, as the clip's own was, or on time with the new sound. */
  readonly keepLag: boolean;
  /** How many pictures that show the inside of the mouth are to be named. */
  readonly lenders: number;
};

export type Plan = {
  /** For each of the times `SHAPE` numbers. */
  readonly targets: Float32Array;
  /** How much later than its sound the mouth of the clip moves. */
  readonly lagSeconds: number;
};

/** Pictures of the clip that show the subject's mouth. */
export type TellingPictures = {
  /** Indices of the known pictures that show the subject's mouth best, the best first. */
  readonly references: readonly number[];
  /** Indices of the known pictures that show the inside of the mouth best, the most telling first. */
  readonly lenders: readonly number[];
};

export type MouthPlan = {
  /** Indices of the mesh points that a plan needs. */
  readonly points: readonly number[];
  plan(request: PlanRequest, signal: AbortSignal): Promise<Plan>;
  /** Which of the clip's pictures to look at more closely: known before the plan, as they need no sound (decision 164). */
  tellingPictures(request: PlanRequest, signal: AbortSignal): Promise<TellingPictures>;
};

export const mouthPlanSlot: Slot = {
  name: 'mouth_plan',
  contract: {
    inputs: [
      { name: 'PCM', type: 'TYPE_FP32', dims: [-1] },
      { name: 'POSTERIORS', type: 'TYPE_FP32', dims: [-1, CLASSES] },
      { name: 'ACTIVITY', type: 'TYPE_FP32', dims: [-1] },
      { name: 'TIMES', type: 'TYPE_FP32', dims: [-1] },
      { name: 'POINTS', type: 'TYPE_FP32', dims: [-1, -1, 3] },
      { name: 'POINT_TIMES', type: 'TYPE_FP32', dims: [-1] },
      { name: 'LEARN', type: 'TYPE_UINT8', dims: [-1] },
      { name: 'CLIP_PCM', type: 'TYPE_FP32', dims: [-1] },
      { name: 'CLIP_POSTERIORS', type: 'TYPE_FP32', dims: [-1, CLASSES] },
      { name: 'EXPRESSIVENESS', type: 'TYPE_FP32', dims: [1] },
      { name: 'KEEP_LAG', type: 'TYPE_INT32', dims: [1] },
      { name: 'QUALITY', type: 'TYPE_INT32', dims: [1] },
    ],
    outputs: [
      { name: 'TARGETS', type: 'TYPE_FP32', dims: [-1, SHAPE] },
      { name: 'LAG', type: 'TYPE_FP32', dims: [1] },
      { name: 'REFERENCES', type: 'TYPE_INT32', dims: [REFERENCES] },
      { name: 'BANK', type: 'TYPE_INT32', dims: [BANK] },
    ],
    parameters: { points: /^\d+(, *\d+)*$/ },
  },
};

export const openMouthPlan = (transport: Transport, loaded: LoadedModel): MouthPlan => {
  const ask = openModel(transport, loaded);
  const points = (loaded.parameters.points ?? '').split(',').map(Number);
  return {
    points,
    plan: async (request, signal) => {
      const wanted = [floats('TARGETS', request.times.length, SHAPE), floats('LAG', 1)];
      const of = await ask(inputsOf(request, points.length), wanted, signal);
      const [lagSeconds = 0] = floatsOf(of('LAG'));
      return { targets: floatsOf(of('TARGETS')), lagSeconds };
    },
    tellingPictures: async (request, signal) => {
      const known = request.pointTimes.length;
      const wanted = [
        integers('REFERENCES', REFERENCES),
        ...(request.lenders > 0 ? [integers('BANK', BANK)] : []),
      ];
      const of = await ask(inputsOf(request, points.length), wanted, signal);
      const references = [...intsOf(of('REFERENCES'))].filter((at) => at >= 0 && at < known);
      const lenders = request.lenders > 0 ? lendersIn(loaded, of, known) : [];
      return { references, lenders: lenders.slice(0, request.lenders) };
    },
  };
};

const inputsOf = (request: PlanRequest, points: number): Tensor[] => {
  const { heard, ownHeard, times, pointTimes } = request;
  const known = pointTimes.length;
  const own = ownHeard?.posteriors ?? new Float32Array();
  return [
    fp32('PCM', [request.pcm.length], request.pcm),
    fp32('POSTERIORS', [heard.steps, CLASSES], heard.posteriors),
    fp32('ACTIVITY', [heard.steps], heard.activity),
    fp32('TIMES', [times.length], times),
    fp32('POINTS', [known, points, 3], request.points),
    fp32('POINT_TIMES', [known], pointTimes),
    uint8('LEARN', [known], request.learn),
    fp32('CLIP_PCM', [request.ownPcm.length], request.ownPcm),
    fp32('CLIP_POSTERIORS', [ownHeard?.steps ?? 0, CLASSES], own),
    fp32('EXPRESSIVENESS', [1], Float32Array.of(request.expressiveness)),
    int32('KEEP_LAG', [request.keepLag ? 1 : 0]),
    int32('QUALITY', [qualities.indexOf(request.quality)]),
  ];
};

/** Throws Failure model_unavailable where the bank names a picture that is not known. */
const lendersIn = ({ slot }: LoadedModel, of: OutputsByName, known: number): number[] => {
  const lenders = [...intsOf(of('BANK'))].filter((at) => at !== -1);
  if (lenders.some((at) => at < 0 || at >= known))
    throw modelUnavailable(slot, new Error('it lends mouths of pictures that it was not given'));
  return lenders;
};
