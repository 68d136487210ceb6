/** A portrait to the same portrait with the head moved, and blinking. */
import type { Picture } from '../../frame.ts';
import { fp32, uint8 } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { MESH_POINTS } from './face-track.ts';
import { bytes, type LoadedModel, openModel, type Slot } from './model.ts';
import { MOTION } from './portrait-motion.ts';

export type HeadMotion = {
  /** picture: RGB. mesh: 478 points of x, y, z in its pixels. motion: one row of what `portrait_motion` gives. */
  move(
    picture: Picture,
    mesh: Float32Array,
    motion: Float32Array,
    signal: AbortSignal,
  ): Promise<Picture>;
};

export const headMotionSlot: Slot = {
  name: 'head_motion',
  contract: {
    inputs: [
      { name: 'IMAGE', type: 'TYPE_UINT8', dims: [-1, -1, 3] },
      { name: 'MESH', type: 'TYPE_FP32', dims: [MESH_POINTS, 3] },
      { name: 'MOTION', type: 'TYPE_FP32', dims: [MOTION] },
    ],
    outputs: [{ name: 'IMAGE', type: 'TYPE_UINT8', dims: [-1, -1, 3] }],
    parameters: {},
  },
};

export const openHeadMotion = (transport: Transport, loaded: LoadedModel): HeadMotion => {
  const ask = openModel(transport, loaded);
  return {
    move: async ({ width, height, pixels }, mesh, motion, signal) => {
      const inputs = [
        uint8('IMAGE', [height, width, 3], pixels),
        fp32('MESH', [MESH_POINTS, 3], mesh),
        fp32('MOTION', [MOTION], motion),
      ];
      const of = await ask(inputs, [bytes('IMAGE', height, width, 3)], signal);
      return { width, height, channels: 3, pixels: of('IMAGE').data };
    },
  };
};
