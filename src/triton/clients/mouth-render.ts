/** The patch of a picture that holds the mouth to the same patch with the mouth in another shape. */
import type { YuvPicture } from '../../frame.ts';
import type { LipsyncModel } from '../../operations/lip-sync/request.ts';
import { floatsOf, fp32, int32, type Tensor, uint8 } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { MESH_POINTS } from './face-track.ts';
import { bytes, floats, type LoadedModel, openModel, type Slot } from './model.ts';
import { SHAPE } from './mouth-plan.ts';
import type { Contract } from './verify.ts';

/** How Y, U and V become colours: the weights kr and kb of red and blue in luma, and whether the values use all of 0..255. */
export type Coding = { readonly kr: number; readonly kb: number; readonly fullRange: boolean };

/** What stays the same for all pictures of a subject. */
export type Rendering = {
  readonly coding: Coding;
  /** What `MouthRender.subject` has measured. */
  readonly subject: Float32Array;
  readonly style: 'photo' | 'flat';
};

export type Rendered = {
  /** Of the patch with the new mouth: its planes, as those of the patch lay. */
  readonly pixels: Buffer;
  /** For each luma pixel how much of it is new: 0 as it was, 255 wholly new. `pixels` are blended already. */
  readonly mask: Buffer;
};

/** A mouth in a picture. */
export type Mouth<About = Rendering> = {
  /** Its first row and column are even in the whole picture. */
  readonly patch: YuvPicture;
  /** 478 points of x, y, z in pixels of the patch. */
  readonly mesh: Float32Array;
  readonly about: About;
};

/** A mouth of another picture, and the share of the inside of the mouth that it lends, 0..1. */
export type Lent = { readonly lender: Buffer; readonly share: number };

export type MouthRender = {
  /** The width of a patch, and how far below the middle of the mouth its centre lies, in distances between the outer eye corners. */
  readonly patchSpan: number;
  readonly patchDrop: number;
  /** Pixels between the outer eye corners; a smaller face is not rendered. */
  readonly smallestFace: number;
  /** Whether it takes lent mouths; `fast` does not, and draws the inside of the mouth. */
  readonly lends: boolean;
  /** What belongs to the subject and not to a picture, measured on this mouth. */
  subject(mouth: Mouth<Omit<Rendering, 'subject'>>, signal: AbortSignal): Promise<Float32Array>;
  /** This mouth, to be lent to other pictures of the clip. */
  lender(mouth: Mouth, signal: AbortSignal): Promise<Buffer>;
  /** The subject of `mouth.about` with the teeth that these lenders show, for the pictures that no lender fits. */
  withTeeth(lenders: readonly Buffer[], mouth: Mouth, signal: AbortSignal): Promise<Float32Array>;
  /** target: the `SHAPE` numbers that the mouth is to have. The shares of `lent` add up to 1 at most; the rest is drawn. */
  render(
    mouth: Mouth,
    target: Float32Array,
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

/** Each model that callers know has a renderer of its own. */
export const mouthRenderSlot = (model: LipsyncModel): Slot => ({
  name: `mouth_render_${model}`,
  contract,
});

export const openMouthRender = (transport: Transport, loaded: LoadedModel): MouthRender => {
  const ask = openModel(transport, loaded);
  const { parameters } = loaded;
  const subjectSize = Number(parameters.subject_size);
  const lenderSize = Number(parameters.lender_size);
  /** The shape of the mouth is not looked at where no picture is asked for. */
  const unshaped = new Float32Array(SHAPE);
  return {
    patchSpan: Number(parameters.patch_span),
    patchDrop: Number(parameters.patch_drop),
    smallestFace: Number(parameters.smallest_face),
    lends: lenderSize > 0,
    subject: async ({ patch, mesh, about }, signal) => {
      const unmeasured = { ...about, subject: new Float32Array(subjectSize) };
      const inputs = inputsOf({ patch, mesh, about: unmeasured }, unshaped);
      const of = await ask(inputs, [floats('SUBJECT', subjectSize)], signal);
      return floatsOf(of('SUBJECT'));
    },
    lender: async (mouth, signal) => {
      const of = await ask(inputsOf(mouth, unshaped), [bytes('LENDER', lenderSize)], signal);
      // A copy: a view would keep the whole answer in memory.
      return Buffer.from(of('LENDER').data);
    },
    withTeeth: async (lenders, mouth, signal) => {
      const lent = lenders.map((lender) => ({ lender, share: 1 / lenders.length }));
      const inputs = [...inputsOf(mouth, unshaped), ...lentOf(lent, lenderSize)];
      const of = await ask(inputs, [floats('SUBJECT', subjectSize)], signal);
      return floatsOf(of('SUBJECT'));
    },
    render: async (mouth, target, signal, lent = []) => {
      const { width, height } = mouth.patch;
      const wanted = [
        bytes('Y', height, width),
        bytes('U', height / 2, width / 2),
        bytes('V', height / 2, width / 2),
        bytes('MASK', height, width),
      ];
      const inputs = [...inputsOf(mouth, target), ...lentOf(lent, lenderSize)];
      const of = await ask(inputs, wanted, signal);
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

const inputsOf = ({ patch, mesh, about }: Mouth, target: Float32Array): Tensor[] => {
  const { width, height, pixels } = patch;
  const { coding, subject, style } = about;
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
