/** How loudly somebody speaks to how the head moves along. */
import type { Control } from '../protocol/control.ts';
import { floatsOf, fp32, int32 } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { ask, describe, floats } from './model.ts';
import type { Contract } from './verify.ts';

const model = 'portrait_motion';
/** Numbers of a motion: yaw, pitch, roll in degrees, dx, dy in distances of the outer eye corners, zoom, blinks left and right. */
export const MOTION = 8;

export type PortraitMotion = {
  readonly release: string;
  /** A motion for each of the times, in seconds; the level of speech at each is 0..1. One seed gives one track. */
  motion(
    times: Float32Array,
    level: Float32Array,
    seed: number,
    signal: AbortSignal,
  ): Promise<Float32Array>;
};

const contract: Contract = {
  inputs: [
    { name: 'TIMES', type: 'TYPE_FP32', dims: [-1] },
    { name: 'LEVEL', type: 'TYPE_FP32', dims: [-1] },
    { name: 'SEED', type: 'TYPE_INT32', dims: [1] },
  ],
  outputs: [{ name: 'MOTION', type: 'TYPE_FP32', dims: [-1, MOTION] }],
  parameters: {},
};

export const readPortraitMotion = (control: Control) => describe(model, contract, control);

export const openPortraitMotion = async (
  transport: Transport,
  control: Control,
): Promise<PortraitMotion> => {
  const { release } = await readPortraitMotion(control);
  return {
    release,
    motion: async (times, level, seed, signal) => {
      const inputs = [
        fp32('TIMES', [times.length], times),
        fp32('LEVEL', [level.length], level),
        int32('SEED', [seed]),
      ];
      const wanted = [floats('MOTION', times.length, MOTION)];
      return floatsOf((await ask(transport, model, inputs, wanted, signal))('MOTION'));
    },
  };
};
