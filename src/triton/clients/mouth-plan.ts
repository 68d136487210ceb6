/** What is said, and how the subject's own mouth moves, to a mouth shape for each picture. */
import { modelUnavailable } from '../protocol/faults.ts';
import { floatsOf, fp32, int32, intsOf, type RequestedOutput, uint8 } from '../protocol/tensor.ts';
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

/** Numbers of a mouth shape: opening, width, rounding, height of the upper lip, height of the corners, press, labiodental, tongue. */
export const SHAPE = 8;
const REFERENCES = 4;
/** How much a plan and a renderer take upon themselves, by the model that callers choose. */
export type Quality = 'fast' | 'balanced' | 'studio';
/** The place of a model in this list is its number in QUALITY. */
const qualities: readonly Quality[] = ['fast', 'balanced', 'studio'];
/** So many pictures lend their mouths, at most. */
const BANK = 48;
/** So many of them lend to one picture, at most. */
export const AT_ONCE = 2;

type PlanRequest = {
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
  /** For each picture of the output the index of the known picture that it shows, -1 for none; null where no mouths are to be lent. */
  readonly shown: Int32Array | null;
};

/** Which pictures lend their mouths to which. */
export type Lending = {
  /** Indices of the known pictures whose mouths are worth lending. */
  readonly bank: readonly number[];
  /** For each of the times AT_ONCE places in the bank, -1 for none, and the share that each lends; the shares of one time add up to 1 at most. */
  readonly lenders: Int32Array;
  readonly shares: Float32Array;
};

export type Plan = {
  /** For each of the times `SHAPE` numbers. */
  readonly targets: Float32Array;
  /** How much later than its sound the mouth of the clip moves. */
  readonly lagSeconds: number;
  /** Indices of the known pictures that show the subject's mouth best, the best first. */
  readonly references: readonly number[];
  /** Null where `shown` was null. */
  readonly lending: Lending | null;
};

export type MouthPlan = {
  /** Indices of the mesh points that a plan needs. */
  readonly points: readonly number[];
  plan(request: PlanRequest, signal: AbortSignal): Promise<Plan>;
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
      { name: 'SHOWN', type: 'TYPE_INT32', dims: [-1] },
      { name: 'QUALITY', type: 'TYPE_INT32', dims: [1] },
    ],
    outputs: [
      { name: 'TARGETS', type: 'TYPE_FP32', dims: [-1, SHAPE] },
      { name: 'LAG', type: 'TYPE_FP32', dims: [1] },
      { name: 'REFERENCES', type: 'TYPE_INT32', dims: [REFERENCES] },
      { name: 'BANK', type: 'TYPE_INT32', dims: [BANK] },
      { name: 'LENDERS', type: 'TYPE_INT32', dims: [-1, AT_ONCE] },
      { name: 'LEND', type: 'TYPE_FP32', dims: [-1, AT_ONCE] },
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
      const { heard, ownHeard, times, pointTimes, shown } = request;
      const known = pointTimes.length;
      const own = ownHeard?.posteriors ?? new Float32Array();
      const inputs = [
        fp32('PCM', [request.pcm.length], request.pcm),
        fp32('POSTERIORS', [heard.steps, CLASSES], heard.posteriors),
        fp32('ACTIVITY', [heard.steps], heard.activity),
        fp32('TIMES', [times.length], times),
        fp32('POINTS', [known, points.length, 3], request.points),
        fp32('POINT_TIMES', [known], pointTimes),
        uint8('LEARN', [known], request.learn),
        fp32('CLIP_PCM', [request.ownPcm.length], request.ownPcm),
        fp32('CLIP_POSTERIORS', [ownHeard?.steps ?? 0, CLASSES], own),
        fp32('EXPRESSIVENESS', [1], Float32Array.of(request.expressiveness)),
        int32('KEEP_LAG', [request.keepLag ? 1 : 0]),
        ...(shown ? [int32('SHOWN', [...shown])] : []),
        int32('QUALITY', [qualities.indexOf(request.quality)]),
      ];
      const wanted = [
        floats('TARGETS', times.length, SHAPE),
        floats('LAG', 1),
        integers('REFERENCES', REFERENCES),
        ...(shown ? lendingOf(times.length) : []),
      ];
      const of = await ask(inputs, wanted, signal);
      const references = [...intsOf(of('REFERENCES'))].filter((at) => at >= 0 && at < known);
      const [lagSeconds = 0] = floatsOf(of('LAG'));
      const lending = shown && readLending(loaded, of, known);
      return { targets: floatsOf(of('TARGETS')), lagSeconds, references, lending };
    },
  };
};

const lendingOf = (frames: number): RequestedOutput[] => [
  integers('BANK', BANK),
  integers('LENDERS', frames, AT_ONCE),
  floats('LEND', frames, AT_ONCE),
];

/** Throws Failure model_unavailable where a lender is not in the bank, or the bank names a picture that is not known. */
const readLending = ({ slot }: LoadedModel, of: OutputsByName, known: number): Lending => {
  const bank = [...intsOf(of('BANK'))];
  const count = bank.findLastIndex((at) => at >= 0) + 1;
  const [lenders, shares] = [intsOf(of('LENDERS')), floatsOf(of('LEND'))];
  const wrong =
    bank.slice(0, count).some((at) => at < 0 || at >= known) ||
    lenders.some((place) => place < -1 || place >= count);
  if (wrong)
    throw modelUnavailable(slot, new Error('it lends mouths of pictures that it was not given'));
  return { bank: bank.slice(0, count), lenders, shares };
};
