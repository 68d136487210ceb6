/** A portrait to the same portrait with the head moved, and blinking. */
import type { Picture } from '../../frame.ts';
import { fp32, uint8 } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { MESH_POINTS } from './face-track.ts';
import { bytes, into, type LoadedModel, openModel, type Slot } from './model.ts';
import { MOTION } from './portrait-motion.ts';
import { type Style, styleTensor } from './style.ts';

export type HeadMotion = {
  /** `memory`, of the picture's length: where the answer may be put. After an abort a late answer may still be written to it. */
  move(portrait: MovedPortrait, memory: Buffer, signal: AbortSignal): Promise<Picture>;
};

type MovedPortrait = {
  /** RGB. */
  readonly picture: Picture;
  /** 478 points of x, y, z in pixels of the picture. */
  readonly mesh: Float32Array;
  /** One row of what `portrait_motion` gives. */
  readonly motion: Float32Array;
  /** How the eyes are shut. */
  readonly style: Style;
};

export const headMotionSlot: Slot = {
  name: 'head_motion',
  contract: {
    inputs: [
      { name: 'IMAGE', type: 'TYPE_UINT8', dims: [-1, -1, 3] },
      { name: 'MESH', type: 'TYPE_FP32', dims: [MESH_POINTS, 3] },
      { name: 'MOTION', type: 'TYPE_FP32', dims: [MOTION] },
      { name: 'STYLE', type: 'TYPE_INT32', dims: [1] },
    ],
    outputs: [{ name: 'IMAGE', type: 'TYPE_UINT8', dims: [-1, -1, 3] }],
    parameters: {},
  },
};

export const openHeadMotion = (transport: Transport, loaded: LoadedModel): HeadMotion => {
  const ask = openModel(transport, loaded);
  return {
    move: async ({ picture: { width, height, pixels }, mesh, motion, style }, memory, signal) => {
      const inputs = [
        uint8('IMAGE', [height, width, 3], pixels),
        fp32('MESH', [MESH_POINTS, 3], mesh),
        fp32('MOTION', [MOTION], motion),
        styleTensor(style),
      ];
      const of = await ask(inputs, into(memory, [bytes('IMAGE', height, width, 3)]), signal);
      return { width, height, channels: 3, pixels: of('IMAGE').data };
    },
  };
};
