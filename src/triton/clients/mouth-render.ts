/** A patch of a picture round the mouth to the same patch with the mouth in another shape. */

import type { YuvPicture } from '../../frame.ts';
import type { LipsyncModel } from '../../operations/lip-sync/request.ts';
import type { Control } from '../protocol/control.ts';
import { floatsOf, fp32, int32, type Tensor, uint8 } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { MESH_POINTS } from './face-track.ts';
import { ask, bytes, describe, floats } from './model.ts';
import { SHAPE } from './mouth-plan.ts';
import type { Contract } from './verify.ts';

/** Each model that callers know has a renderer of its own. */
const nameOf = (model: LipsyncModel) => `mouth_render_${model}`;

/** How codes become colours: the weights of red and blue in luma, and whether the codes use all of 0..255. */
export type Coding = { readonly kr: number; readonly kb: number; readonly fullRange: boolean };

/** What stays the same for all pictures of a subject. */
export type Rendering = {
  readonly coding: Coding;
  /** What belongs to the subject and not to a picture; see `MouthRender.subject`. */
  readonly subject: Float32Array;
  readonly style: 'photo' | 'flat';
};

export type Rendered = {
  /** The patch with the mouth in it, in the layout in which it came. */
  readonly pixels: Buffer;
  /** Of luma: 0 where a pixel is as it was, 255 where it is wholly new. The blend is done. */
  readonly mask: Buffer;
};

/** A mouth of another picture, and how much of what an open mouth shows it lends, 0..1. */
export type Lent = { readonly lender: Buffer; readonly share: number };

export type MouthRender = {
  readonly release: string;
  /** Lengths in distances of the outer eye corners: the width of a patch, and how far below the mouth its centre lies. */
  readonly patchSpan: number;
  readonly patchDrop: number;
  /** Pixels between the outer eye corners: a smaller face is refused. */
  readonly smallestFace: number;
  /** Whether it knows how to lend: `fast` draws what an open mouth shows. */
  readonly lends: boolean;
  /** The patch's first row and column are even in the whole picture; the mesh is in pixels of the patch. */
  subject(
    patch: YuvPicture,
    mesh: Float32Array,
    about: Omit<Rendering, 'subject'>,
    signal: AbortSignal,
  ): Promise<Float32Array>;
  /** The mouth of this patch, to be lent to other pictures of the clip. */
  lender(
    patch: YuvPicture,
    mesh: Float32Array,
    about: Rendering,
    signal: AbortSignal,
  ): Promise<Buffer>;
  /** The subject with the teeth that these lenders show, for the pictures that none of them fits. The patch is any one. */
  withTeeth(
    lenders: readonly Buffer[],
    patch: YuvPicture,
    mesh: Float32Array,
    about: Rendering,
    signal: AbortSignal,
  ): Promise<Float32Array>;
  /** `lent` comes to 1 at most; the rest is drawn. */
  render(
    patch: YuvPicture,
    mesh: Float32Array,
    target: Float32Array,
    about: Rendering,
    signal: AbortSignal,
    lent?: readonly Lent[],
  ): Promise<Rendered>;
};

const contract: Contract = {
  inputs: [
    { name: 'Y', type: 'TYPE_UINT8', dims: [-1, -1] },
    { name: 'U', type: 'TYPE_UINT8', dims: [-1, -1] },
    { name: 'V', type: 'TYPE_UINT8', dims: [-1, -1] },
    { name: 'COLOUR', type: 'TYPE_FP32', dims: [3] },
    { name: 'MESH', type: 'TYPE_FP32', dims: [MESH_POINTS, 3] },
    { name: 'TARGET', type: 'TYPE_FP32', dims: [SHAPE] },
    { name: 'SUBJECT', type: 'TYPE_FP32', dims: [-1] },
    { name: 'STYLE', type: 'TYPE_INT32', dims: [1] },
    { name: 'LENDERS', type: 'TYPE_UINT8', dims: [-1, -1] },
    { name: 'LEND', type: 'TYPE_FP32', dims: [-1] },
  ],
  outputs: [
    { name: 'Y', type: 'TYPE_UINT8', dims: [-1, -1] },
    { name: 'U', type: 'TYPE_UINT8', dims: [-1, -1] },
    { name: 'V', type: 'TYPE_UINT8', dims: [-1, -1] },
    { name: 'MASK', type: 'TYPE_UINT8', dims: [-1, -1] },
    { name: 'SUBJECT', type: 'TYPE_FP32', dims: [-1] },
    { name: 'LENDER', type: 'TYPE_UINT8', dims: [-1] },
  ],
  parameters: {
    subject_size: /^[1-9]\d*$/,
    lender_size: /^\d+$/,
    ...{ patch_span: /^\d+(\.\d+)?$/, patch_drop: /^-?\d+(\.\d+)?$/ },
    smallest_face: /^\d+(\.\d+)?$/,
  },
};

export const readMouthRender = (model: LipsyncModel, control: Control) =>
  describe(nameOf(model), contract, control);

export const openMouthRender = async (
  model: LipsyncModel,
  transport: Transport,
  control: Control,
): Promise<MouthRender> => {
  const { release, parameters } = await readMouthRender(model, control);
  const subjectSize = Number(parameters.subject_size);
  const lenderSize = Number(parameters.lender_size);
  return {
    release,
    patchSpan: Number(parameters.patch_span),
    patchDrop: Number(parameters.patch_drop),
    smallestFace: Number(parameters.smallest_face),
    lends: lenderSize > 0,
    subject: async (patch, mesh, about, signal) => {
      const nobody = { ...about, subject: new Float32Array(subjectSize) };
      const inputs = inputsOf(patch, mesh, new Float32Array(SHAPE), nobody);
      const wanted = [floats('SUBJECT', subjectSize)];
      return floatsOf((await ask(transport, nameOf(model), inputs, wanted, signal))('SUBJECT'));
    },
    lender: async (patch, mesh, about, signal) => {
      const inputs = inputsOf(patch, mesh, new Float32Array(SHAPE), about);
      const of = await ask(transport, nameOf(model), inputs, [bytes('LENDER', lenderSize)], signal);
      // Its own memory: what came beside it is let go.
      return Buffer.from(of('LENDER').data);
    },
    withTeeth: async (lenders, patch, mesh, about, signal) => {
      const lent = lenders.map((lender) => ({ lender, share: 1 / lenders.length }));
      const inputs = [
        ...inputsOf(patch, mesh, new Float32Array(SHAPE), about),
        ...lentOf(lent, lenderSize),
      ];
      const wanted = [floats('SUBJECT', subjectSize)];
      return floatsOf((await ask(transport, nameOf(model), inputs, wanted, signal))('SUBJECT'));
    },
    render: async (patch, mesh, target, about, signal, lent = []) => {
      const { width, height } = patch;
      const wanted = [
        bytes('Y', height, width),
        bytes('U', height / 2, width / 2),
        bytes('V', height / 2, width / 2),
        bytes('MASK', height, width),
      ];
      const inputs = [...inputsOf(patch, mesh, target, about), ...lentOf(lent, lenderSize)];
      const of = await ask(transport, nameOf(model), inputs, wanted, signal);
      const pixels = Buffer.concat([of('Y').data, of('U').data, of('V').data]);
      return { pixels, mask: of('MASK').data };
    },
  };
};

const lentOf = (lent: readonly Lent[], size: number): Tensor[] =>
  lent.length === 0
    ? []
    : [
        uint8('LENDERS', [lent.length, size], Buffer.concat(lent.map(({ lender }) => lender))),
        fp32(
          'LEND',
          [lent.length],
          Float32Array.from(lent, ({ share }) => share),
        ),
      ];

const inputsOf = (
  { width, height, pixels }: YuvPicture,
  mesh: Float32Array,
  target: Float32Array,
  { coding, subject, style }: Rendering,
): Tensor[] => {
  const [luma, chroma] = [width * height, (width / 2) * (height / 2)];
  const { kr, kb, fullRange } = coding;
  return [
    uint8('Y', [height, width], pixels.subarray(0, luma)),
    uint8('U', [height / 2, width / 2], pixels.subarray(luma, luma + chroma)),
    uint8('V', [height / 2, width / 2], pixels.subarray(luma + chroma)),
    fp32('COLOUR', [3], Float32Array.of(kr, kb, fullRange ? 1 : 0)),
    fp32('MESH', [MESH_POINTS, 3], mesh),
    fp32('TARGET', [SHAPE], target),
    fp32('SUBJECT', [subject.length], subject),
    int32('STYLE', [style === 'flat' ? 1 : 0]),
  ];
};
