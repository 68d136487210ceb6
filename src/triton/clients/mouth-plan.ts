/** What is said, and how this mouth moves, to the shape of the mouth in each picture. */
import type { LipsyncModel } from '../../operations/lip-sync/request.ts';
import type { Control } from '../protocol/control.ts';
import { modelUnavailable } from '../protocol/faults.ts';
import {
  floatsOf,
  fp32,
  int32,
  intsOf,
  type Tensor,
  uint8,
  type Wanted,
} from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { ask, describe, floats, integers } from './model.ts';
import type { Heard } from './speech.ts';
import type { Contract } from './verify.ts';

const model = 'mouth_plan';
/** Numbers of a mouth shape: opening, width, rounding, upper, corners, press, labiodental, tongue. */
export const SHAPE = 8;
const REFERENCES = 4;
/** What the numbers of QUALITY mean. */
const qualities: readonly LipsyncModel[] = ['fast', 'balanced', 'studio'];
const BANK = 48;
/** Lenders of one picture, at most. */
export const AT_ONCE = 2;

type PlanRequest = {
  /** The new sound, and what `speech` heard in it. */
  readonly pcm: Float32Array;
  readonly heard: Heard;
  /** Of the pictures to come, in seconds on the clock of the new sound. */
  readonly times: Float32Array;
  /** The mesh points named by `MouthPlan.points` in each known picture: x, y, z, all NaN where there is no face. */
  readonly points: Float32Array;
  /** Of the known pictures, in seconds from the first. */
  readonly pointTimes: Float32Array;
  /** 1 for the known pictures from which the plan may learn. */
  readonly learn: Buffer;
  /** The clip's own sound; empty when it has none. */
  readonly ownPcm: Float32Array;
  readonly ownHeard: Heard | null;
  /** 0..1; 0.5 is as measured. */
  readonly expressiveness: number;
  readonly quality: LipsyncModel;
  /** Whether the mouth is to be late by `lagSeconds`, as the clip's own was, or on time with the new sound. */
  readonly keepLag: boolean;
  /** Of the pictures to come, which known one each shows, -1 where none is known; null where no mouths are to be lent. */
  readonly shown: Int32Array | null;
};

/** Whose mouths are lent to whom. */
export type Lending = {
  /** The known pictures whose mouths are worth lending. */
  readonly bank: readonly number[];
  /** AT_ONCE places in the bank for each of the times, -1 for none, and how much each lends: together at most 1. */
  readonly lenders: Int32Array;
  readonly shares: Float32Array;
};

export type Plan = {
  /** A mouth shape for each of the times. */
  readonly targets: Float32Array;
  /** How much later than its sound the clip's own mouth moves. */
  readonly lagSeconds: number;
  /** Which of the known pictures show best what belongs to the subject, the best first. */
  readonly references: readonly number[];
  /** Null where none was asked for. */
  readonly lending: Lending | null;
};

export type MouthPlan = {
  readonly release: string;
  /** Indices of the mesh points that a plan needs. */
  readonly points: readonly number[];
  plan(request: PlanRequest, signal: AbortSignal): Promise<Plan>;
};

const contract: Contract = {
  inputs: [
    { name: 'PCM', type: 'TYPE_FP32', dims: [-1] },
    { name: 'POSTERIORS', type: 'TYPE_FP32', dims: [-1, 20] },
    { name: 'ACTIVITY', type: 'TYPE_FP32', dims: [-1] },
    { name: 'TIMES', type: 'TYPE_FP32', dims: [-1] },
    { name: 'POINTS', type: 'TYPE_FP32', dims: [-1, -1, 3] },
    { name: 'POINT_TIMES', type: 'TYPE_FP32', dims: [-1] },
    { name: 'LEARN', type: 'TYPE_UINT8', dims: [-1] },
    { name: 'CLIP_PCM', type: 'TYPE_FP32', dims: [-1] },
    { name: 'CLIP_POSTERIORS', type: 'TYPE_FP32', dims: [-1, 20] },
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
};

export const readMouthPlan = (control: Control) => describe(model, contract, control);

export const openMouthPlan = async (transport: Transport, control: Control): Promise<MouthPlan> => {
  const { release, parameters } = await readMouthPlan(control);
  const points = (parameters.points ?? '').split(',').map(Number);
  return {
    release,
    points,
    plan: async (request, signal) => {
      const { heard, ownHeard, times, pointTimes, shown } = request;
      const known = pointTimes.length;
      const own = ownHeard?.posteriors ?? new Float32Array();
      const inputs = [
        fp32('PCM', [request.pcm.length], request.pcm),
        fp32('POSTERIORS', [heard.steps, 20], heard.posteriors),
        fp32('ACTIVITY', [heard.steps], heard.activity),
        fp32('TIMES', [times.length], times),
        fp32('POINTS', [known, points.length, 3], request.points),
        fp32('POINT_TIMES', [known], pointTimes),
        uint8('LEARN', [known], request.learn),
        fp32('CLIP_PCM', [request.ownPcm.length], request.ownPcm),
        fp32('CLIP_POSTERIORS', [ownHeard?.steps ?? 0, 20], own),
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
      const of = await ask(transport, model, inputs, wanted, signal);
      const references = [...intsOf(of('REFERENCES'))].filter((at) => at >= 0 && at < known);
      const [lagSeconds = 0] = floatsOf(of('LAG'));
      const lending = shown && readLending(of, known);
      return { targets: floatsOf(of('TARGETS')), lagSeconds, references, lending };
    },
  };
};

const lendingOf = (frames: number): Wanted[] => [
  integers('BANK', BANK),
  integers('LENDERS', frames, AT_ONCE),
  floats('LEND', frames, AT_ONCE),
];

/** Throws where a place is none of the bank, or a picture of the bank none that is known. */
const readLending = (of: (name: string) => Tensor, known: number): Lending => {
  const bank = [...intsOf(of('BANK'))];
  const count = bank.findLastIndex((at) => at >= 0) + 1;
  const [lenders, shares] = [intsOf(of('LENDERS')), floatsOf(of('LEND'))];
  const strange =
    bank.slice(0, count).some((at) => at < 0 || at >= known) ||
    lenders.some((place) => place < -1 || place >= count);
  if (strange)
    throw modelUnavailable(model, new Error('it lends mouths of pictures that are none'));
  return { bank: bank.slice(0, count), lenders, shares };
};
