/** The loudness of speech to the motion of the head that goes with it. */
import { floatsOf, fp32, int32 } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { floats, type LoadedModel, openModel, type Slot } from './model.ts';

/** Numbers of a motion: yaw, pitch, roll in degrees; dx, dy in distances between the outer eye corners; zoom; how far the left and right eye are closed. */
export const MOTION = 8;

export type PortraitMotion = {
  /** A motion for each of the times, in seconds, `MOTION` numbers a row. level: the loudness of speech at each, 0..1. The same seed gives the same motion. */
  motion(
    times: Float32Array,
    level: Float32Array,
    seed: number,
    signal: AbortSignal,
  ): Promise<Float32Array>;
};

export const portraitMotionSlot: Slot = {
  name: 'portrait_motion',
  contract: {
    inputs: [
      { name: 'TIMES', type: 'TYPE_FP32', dims: [-1] },
      { name: 'LEVEL', type: 'TYPE_FP32', dims: [-1] },
      { name: 'SEED', type: 'TYPE_INT32', dims: [1] },
    ],
    outputs: [{ name: 'MOTION', type: 'TYPE_FP32', dims: [-1, MOTION] }],
    parameters: {},
  },
};

export const openPortraitMotion = (transport: Transport, loaded: LoadedModel): PortraitMotion => {
  const ask = openModel(transport, loaded);
  return {
    motion: async (times, level, seed, signal) => {
      const inputs = [
        fp32('TIMES', [times.length], times),
        fp32('LEVEL', [level.length], level),
        int32('SEED', [seed]),
      ];
      const of = await ask(inputs, [floats('MOTION', times.length, MOTION)], signal);
      return floatsOf(of('MOTION'));
    },
  };
};
