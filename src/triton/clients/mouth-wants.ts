/** What a renderer may want beside what every renderer gets: a neural one paints a mouth from what it hears. See decision 22. */
import { fp32, type Tensor, uint8 } from '../protocol/tensor.ts';
import { MESH_POINTS } from './face-track.ts';
import { type Patch, type PixelCoding, pixelTensors } from './patch-pixels.ts';
import { type Contract, wantsIn } from './verify.ts';

/** By the words of a model's parameter `wants`. */
export const wantable: NonNullable<Contract['wantable']> = {
  speech: {
    inputs: [{ name: 'SPEECH', type: 'TYPE_FP32', dims: [-1] }],
    // Even, and less than a minute.
    parameters: { speech_samples: /^[1-9]\d{0,4}[02468]$/ },
  },
  reference: {
    inputs: [
      { name: 'REFERENCE_Y', type: 'TYPE_UINT8', dims: [-1, -1] },
      { name: 'REFERENCE_U', type: 'TYPE_UINT8', dims: [-1, -1] },
      { name: 'REFERENCE_V', type: 'TYPE_UINT8', dims: [-1, -1] },
      { name: 'REFERENCE_RGB', type: 'TYPE_UINT8', dims: [-1, -1, 3] },
      { name: 'REFERENCE_MESH', type: 'TYPE_FP32', dims: [MESH_POINTS, 3] },
    ],
    parameters: {},
  },
  mask: { inputs: [{ name: 'MASK', type: 'TYPE_UINT8', dims: [-1, -1] }], parameters: {} },
};

export type Wants = {
  /** How many samples of 16 kHz round a picture's time; 0: none. */
  readonly speechSamples: number;
  readonly reference: boolean;
  readonly mask: boolean;
};

/** For one picture; what the model wants must be there. */
export type WantedInputs = {
  /** The new sound, -1..1: the picture is shown at its middle. */
  readonly speech?: Float32Array;
  readonly reference?: Reference;
  /** For each luma pixel of the patch 255 where it may change, else 0. */
  readonly mask?: Buffer;
};

/** The patch of another picture of the same face, coded as that of the picture itself. */
export type Reference = {
  readonly patch: Patch;
  /** 478 points of x, y, z in pixels of its patch. */
  readonly mesh: Float32Array;
};

export const wantsOf = (parameters: Readonly<Record<string, string>>): Wants => {
  const wants = wantsIn(parameters);
  return {
    speechSamples: wants.includes('speech') ? Number(parameters.speech_samples) : 0,
    reference: wants.includes('reference'),
    mask: wants.includes('mask'),
  };
};

type Pictured = { readonly patch: Patch; readonly about: { readonly coding: PixelCoding } };

/** Throws an Error where the model wants what was not given. */
export const wantedTensors = (
  wants: Wants,
  { speech, reference, mask }: WantedInputs,
  { patch: { width, height }, about }: Pictured,
): Tensor[] => [
  ...(wants.speechSamples > 0
    ? [fp32('SPEECH', [wants.speechSamples], given('SPEECH', speech))]
    : []),
  ...(wants.reference ? referenceTensors(given('REFERENCE', reference), about.coding) : []),
  ...(wants.mask ? [uint8('MASK', [height, width], given('MASK', mask))] : []),
];

const referenceTensors = ({ patch, mesh }: Reference, coding: PixelCoding): Tensor[] => [
  ...pixelTensors(patch, coding, 'REFERENCE_'),
  fp32('REFERENCE_MESH', [MESH_POINTS, 3], mesh),
];

const given = <T>(name: string, value: T | undefined): T => {
  if (value === undefined) throw new Error(`the model wants ${name}, and none was given`);
  return value;
};
