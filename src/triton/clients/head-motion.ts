/** A portrait to the same portrait with the head moved, and blinking. */
import type { Picture } from '../../frame.ts';
import { floatsOf, fp32, type Tensor, uint8 } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { type Box, MESH_POINTS } from './face-track.ts';
import { bytes, floats, into, type LoadedModel, openModel, type Slot } from './model.ts';
import { MOTION } from './portrait-motion.ts';
import { STYLES, type Style, styleTensor } from './style.ts';

export type HeadMotion = {
  look(portrait: UnmovedPortrait, signal: AbortSignal): Promise<Looks>;
  /** `memory`, of the picture's length: where the answer may be put. After an abort a late answer may still be written to it. */
  move(portrait: MovedPortrait, memory: Buffer, signal: AbortSignal): Promise<Picture>;
};

type UnmovedPortrait = {
  readonly still: Picture;
  readonly mesh: Float32Array;
  /** Of the other faces in the picture, in its pixels: they are not to move. */
  readonly others: readonly Box[];
};

/** Null: the model does not tell. */
type Looks = {
  /** What moves with the head: the background beside it is not to. */
  readonly head: Float32Array | null;
  /** The edges of the part of the picture in which the face is: they are not to bend when the jaw moves. */
  readonly edges: Float32Array | null;
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
  /** What `look` has told of this portrait. */
  readonly head: Float32Array | null;
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
  const side = Number(loaded.parameters.head_side ?? 0);
  const edgesSide = Number(loaded.parameters.edges_side ?? 0);
  const othersSize = Number(loaded.parameters.others_size ?? 0);
  /** How it moves is not looked at where no picture is asked for. */
  const unmoved = { motion: new Float32Array(MOTION), style: STYLES[0] };
  return {
    look: async ({ still, mesh, others }, signal) => {
      const wanted = [
        ...(side > 0 ? [floats('HEAD', side, side)] : []),
        ...(edgesSide > 0 ? [floats('EDGES', edgesSide, edgesSide)] : []),
      ];
      if (wanted.length === 0) return { head: null, edges: null };
      const inputs = [
        ...inputsOf({ picture: still, mesh, ...unmoved }),
        ...(others.length > 0 && othersSize > 0
          ? [fp32('OTHERS', [others.length, othersSize], Float32Array.from(others.flat()))]
          : []),
      ];
      const of = await ask(inputs, wanted, signal);
      // Copies: a view would keep the whole answer in memory.
      const told = (name: string) => floatsOf(of(name)).slice();
      return { head: side > 0 ? told('HEAD') : null, edges: edgesSide > 0 ? told('EDGES') : null };
    },
    move: async (portrait, memory, signal) => {
      const { width, height } = portrait.picture;
      const { head } = portrait;
      const inputs = [
        ...inputsOf(portrait),
        ...(head && side > 0 ? [fp32('HEAD', [side, side], head)] : []),
      ];
      const of = await ask(inputs, into(memory, [bytes('IMAGE', height, width, 3)]), signal);
      return { width, height, channels: 3, pixels: of('IMAGE').data };
    },
  };
};

const inputsOf = ({ picture, mesh, motion, style }: Omit<MovedPortrait, 'head'>): Tensor[] => [
  uint8('IMAGE', [picture.height, picture.width, 3], picture.pixels),
  fp32('MESH', [MESH_POINTS, 3], mesh),
  fp32('MOTION', [MOTION], motion),
  styleTensor(style),
];
