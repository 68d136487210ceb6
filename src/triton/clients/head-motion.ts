/** A portrait to the same portrait with the head moved, and blinking. */
import type { Picture } from '../../frame.ts';
import type { Control } from '../protocol/control.ts';
import { fp32, uint8 } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { MESH_POINTS } from './face-track.ts';
import { ask, bytes, describe } from './model.ts';
import { MOTION } from './portrait-motion.ts';
import type { Contract } from './verify.ts';

const model = 'head_motion';

export type HeadMotion = {
  readonly release: string;
  /** picture: RGB. mesh: in its pixels. motion: one row of a track of `portrait_motion`. */
  move(
    picture: Picture,
    mesh: Float32Array,
    motion: Float32Array,
    signal: AbortSignal,
  ): Promise<Picture>;
};

const contract: Contract = {
  inputs: [
    { name: 'IMAGE', type: 'TYPE_UINT8', dims: [-1, -1, 3] },
    { name: 'MESH', type: 'TYPE_FP32', dims: [MESH_POINTS, 3] },
    { name: 'MOTION', type: 'TYPE_FP32', dims: [MOTION] },
  ],
  outputs: [{ name: 'IMAGE', type: 'TYPE_UINT8', dims: [-1, -1, 3] }],
  parameters: {},
};

export const readHeadMotion = (control: Control) => describe(model, contract, control);

export const openHeadMotion = async (
  transport: Transport,
  control: Control,
): Promise<HeadMotion> => {
  const { release } = await readHeadMotion(control);
  return {
    release,
    move: async (picture, mesh, motion, signal) => {
      const { width, height, pixels } = picture;
      const inputs = [
        uint8('IMAGE', [height, width, 3], pixels),
        fp32('MESH', [MESH_POINTS, 3], mesh),
        fp32('MOTION', [MOTION], motion),
      ];
      const of = await ask(transport, model, inputs, [bytes('IMAGE', height, width, 3)], signal);
      return { width, height, channels: 3, pixels: of('IMAGE').data };
    },
  };
};
