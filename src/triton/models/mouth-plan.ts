/** What is said, and how this mouth moves, to the shape of the mouth in each picture. */
import type { Control } from '../protocol/control.ts';
import { floatsOf, fp32, int32, intsOf, uint8 } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { ask, describe, floats, integers } from './model.ts';
import type { Heard } from './speech.ts';
import type { Contract } from './verify.ts';

const model = 'mouth_plan';
/** Numbers of a mouth shape: opening, width, rounding, upper, corners, press, labiodental, tongue. */
export const SHAPE = 8;
const REFERENCES = 4;

export type PlanRequest = {
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
  /** Whether the mouth is to be late by `lagSeconds`, as the clip's own was, or on time with the new sound. */
  readonly keepLag: boolean;
};

export type Plan = {
  /** A mouth shape for each of the times. */
  readonly targets: Float32Array;
  /** How much later than its sound the clip's own mouth moves. */
  readonly lagSeconds: number;
  /** Which of the known pictures show best what belongs to the subject, the best first. */
  readonly references: readonly number[];
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
  ],
  outputs: [
    { name: 'TARGETS', type: 'TYPE_FP32', dims: [-1, SHAPE] },
    { name: 'LAG', type: 'TYPE_FP32', dims: [1] },
    { name: 'REFERENCES', type: 'TYPE_INT32', dims: [REFERENCES] },
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
      const { heard, ownHeard, times, pointTimes } = request;
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
      ];
      const wanted = [
        floats('TARGETS', times.length, SHAPE),
        floats('LAG', 1),
        integers('REFERENCES', REFERENCES),
      ];
      const of = await ask(transport, model, inputs, wanted, signal);
      const references = [...intsOf(of('REFERENCES'))].filter((at) => at >= 0 && at < known);
      const [lagSeconds = 0] = floatsOf(of('LAG'));
      return { targets: floatsOf(of('TARGETS')), lagSeconds, references };
    },
  };
};
