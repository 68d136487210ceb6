/** The patch of a picture that holds the mouth to the same patch with the mouth in another shape. */
import type { Size } from '../../frame.ts';
import { modelUnavailable } from '../protocol/faults.ts';
import { floatsOf, fp32, inOneRow, intsOf, type Tensor, uint8 } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { MESH_POINTS } from './face-track.ts';
import { bytes, floats, integers, into, type LoadedModel, openModel, type Slot } from './model.ts';
import { type Quality, SHAPE } from './mouth-plan.ts';
import { type WantedInputs, type Wants, wantable, wantedTensors, wantsOf } from './mouth-wants.ts';
import {
  type Coding,
  codingTensors,
  type Patch,
  type PixelCoding,
  pixelTensors,
} from './patch-pixels.ts';
import { STYLES, type Style, styleTensor } from './style.ts';
import type { Contract } from './verify.ts';

/** What stays the same for all pictures of a subject. */
export type Rendering = {
  /** The pixel coding of the patches. */
  readonly coding: PixelCoding;
  /** What `MouthRender.subject` has measured. */
  readonly subject: Float32Array;
  readonly style: Style;
  /** What lies over all of its pictures. Absent: nothing. */
  readonly mark?: Mark;
};

/** A half-clear mark at one place of a clip's pictures, as a watermark. */
export type Mark = Size & {
  /** Of its first pixel in the pictures. */
  readonly x: number;
  readonly y: number;
  /** Of each pixel MARK of `mouth_render_*`. */
  readonly pixels: Buffer;
};

export type Rendered = {
  /** The pixels of the patch with the new mouth, in the layout of the patch. */
  readonly pixels: Buffer;
  /** How much of each luma pixel is new: 0 unchanged, 255 wholly new. `pixels` are blended already. */
  readonly mask: Buffer;
};

/** The part of a picture round a face, by which its style is decided. */
export type FaceCut = Size & {
  /** 1: luma, 3: RGB. */
  readonly channels: number;
  readonly pixels: Buffer;
  /** The face in it: left, top, right, bottom in its pixels. */
  readonly box: readonly [number, number, number, number];
};

/** What belongs to the subject and not to a picture. */
export type Measured = {
  readonly subject: Float32Array;
  /** Null when no face was given to tell it by. */
  readonly style: Style | null;
  /** The share of the lower face that something covers, 0..1; 0 where the model does not tell. */
  readonly covered: number;
};

/** A mouth in a picture. */
export type Mouth<About = Rendering> = {
  /** Its sides are even; of planes, its first row and column are even in the whole picture too. */
  readonly patch: Patch;
  /** 478 points of x, y, z in pixels of the patch. */
  readonly mesh: Float32Array;
  readonly about: About;
  /** The part of `about.mark` that lies over the patch, of its size. */
  readonly mark?: Buffer;
};

/** One rectangle of some of a clip's pictures. */
export type MarkedPictures = Size & {
  /** Luma of each. */
  readonly luma: readonly Buffer[];
  /** The face's points in each, in pixels of the rectangle. */
  readonly meshes: readonly Float32Array[];
  readonly coding: Coding;
};

/** Of a pixel of MARK: nothing lies over it. */
export const UNMARKED = 128;

export type MouthRender = {
  /** The width of a patch, and how far below the middle of the mouth its centre lies, in distances between the outer eye corners. */
  readonly patchSpan: number;
  readonly patchDrop: number;
  /** Pixels between the outer eye corners; a smaller face is not rendered. */
  readonly smallestFace: number;
  /** The most pictures of a clip that it takes the inside of the mouth from; 0: it needs none. */
  readonly lenders: number;
  /** `Measured.covered` up to which a picture is good enough to be measured; null: the model does not tell. */
  readonly coveredUpTo: number | null;
  /** How many pictures it renders at a time. */
  readonly instances: number;
  /** In how many pictures of a clip it looks for a mark, at most; 0: it looks for none. */
  readonly markPictures: number;
  /** What it takes besides; the three renderers of the service take nothing. */
  readonly wants: Wants;
  /** Measured on this mouth, the style on the face. */
  subject(
    mouth: Mouth<Pick<Rendering, 'coding'>>,
    face: FaceCut | null,
    signal: AbortSignal,
  ): Promise<Measured>;
  /** This mouth as it can be merged with others. */
  lender(mouth: Mouth, signal: AbortSignal): Promise<Buffer>;
  /** The one inside of the mouth that these lenders show; `mouth` is any of theirs. */
  inside(lenders: readonly Buffer[], mouth: Mouth, signal: AbortSignal): Promise<Buffer>;
  /** MARK over these pictures; null where nothing lies over them. */
  mark(pictures: MarkedPictures, signal: AbortSignal): Promise<Buffer | null>;
  render(mouth: Mouth, shown: Shown, signal: AbortSignal): Promise<Rendered>;
};

/** What a rendered mouth is to show. */
type Shown = {
  /** The `SHAPE` numbers that it is to have. */
  readonly target: Float32Array;
  /** What `MouthRender.inside` has merged. Null or absent: it is drawn. */
  readonly inside?: Buffer | null;
  /** For a portrait: the answer of `HeadMotion.look`. */
  readonly edges?: Float32Array | null;
  /** What `MouthRender.wants` names. */
  readonly wanted?: WantedInputs;
  /** Memory for the answer, at least `renderedBytes` long. Absent: new memory. */
  readonly memory?: Buffer;
};

/** What the answer for a patch takes: for each pixel three bytes of RGB or one and a half of 4:2:0, and one of mask. */
export const renderedBytes = ({ width, height }: Size, coding: PixelCoding): number =>
  width * height * (coding === 'rgb' ? 4 : 2.5);

const contract: Contract = {
  inputs: [
    { name: 'Y', type: 'TYPE_UINT8', dims: [-1, -1] },
    { name: 'U', type: 'TYPE_UINT8', dims: [-1, -1] },
    { name: 'V', type: 'TYPE_UINT8', dims: [-1, -1] },
    { name: 'COLOUR', type: 'TYPE_FP32', dims: [3] },
    { name: 'RGB', type: 'TYPE_UINT8', dims: [-1, -1, 3] },
    { name: 'MESH', type: 'TYPE_FP32', dims: [MESH_POINTS, 3] },
    { name: 'TARGET', type: 'TYPE_FP32', dims: [SHAPE] },
    { name: 'SUBJECT', type: 'TYPE_FP32', dims: [-1] },
    { name: 'STYLE', type: 'TYPE_INT32', dims: [1] },
    { name: 'FACE', type: 'TYPE_UINT8', dims: [-1, -1, -1] },
    { name: 'BOX', type: 'TYPE_FP32', dims: [4] },
    { name: 'LENDERS', type: 'TYPE_UINT8', dims: [-1, -1] },
    { name: 'INSIDE', type: 'TYPE_UINT8', dims: [-1] },
  ],
  outputs: [
    { name: 'Y', type: 'TYPE_UINT8', dims: [-1, -1] },
    { name: 'U', type: 'TYPE_UINT8', dims: [-1, -1] },
    { name: 'V', type: 'TYPE_UINT8', dims: [-1, -1] },
    { name: 'RGB', type: 'TYPE_UINT8', dims: [-1, -1, 3] },
    { name: 'MASK', type: 'TYPE_UINT8', dims: [-1, -1] },
    { name: 'SUBJECT', type: 'TYPE_FP32', dims: [-1] },
    { name: 'STYLE', type: 'TYPE_INT32', dims: [1] },
    { name: 'LENDER', type: 'TYPE_UINT8', dims: [-1] },
    { name: 'INSIDE', type: 'TYPE_UINT8', dims: [-1] },
  ],
  parameters: {
    subject_size: /^[1-9]\d*$/,
    lenders: /^\d+$/,
    lender_size: /^\d+$/,
    inside_size: /^\d+$/,
    patch_span: /^\d+(\.\d+)?$/,
    patch_drop: /^-?\d+(\.\d+)?$/,
    smallest_face: /^\d+(\.\d+)?$/,
  },
  wantable,
};

/** Each model that callers know has a renderer of its own. */
export const mouthRenderSlot = (quality: Quality): Slot => ({
  name: `mouth_render_${quality}`,
  contract,
});

export const openMouthRender = (transport: Transport, loaded: LoadedModel): MouthRender => {
  const ask = openModel(transport, loaded);
  const { parameters, instances } = loaded;
  const subjectSize = Number(parameters.subject_size);
  const lenderSize = Number(parameters.lender_size);
  const insideSize = Number(parameters.inside_size);
  const edgesSide = Number(parameters.edges_side ?? 0);
  const coveredUpTo = parameters.covered_up_to ? Number(parameters.covered_up_to) : null;
  const wants = wantsOf(parameters);
  /** The shape of the mouth is not looked at where no picture is asked for. */
  const unshaped = new Float32Array(SHAPE);
  const unmeasured = (coding: PixelCoding): Rendering => ({
    coding,
    subject: new Float32Array(subjectSize),
    style: STYLES[0],
  });
  return {
    patchSpan: Number(parameters.patch_span),
    patchDrop: Number(parameters.patch_drop),
    smallestFace: Number(parameters.smallest_face),
    lenders: Number(parameters.lenders),
    coveredUpTo,
    instances,
    markPictures: Number(parameters.mark_pictures ?? 0),
    wants,
    subject: async ({ about: { coding }, ...mouth }, face, signal) => {
      const inputs = [
        ...inputsOf({ ...mouth, about: unmeasured(coding) }, unshaped),
        ...(face ? faceOf(face) : []),
      ];
      const wanted = [
        floats('SUBJECT', subjectSize),
        ...(face ? [integers('STYLE', 1)] : []),
        ...(coveredUpTo === null ? [] : [floats('COVERED', 1)]),
      ];
      const of = await ask(inputs, wanted, signal);
      return {
        subject: floatsOf(of('SUBJECT')),
        style: face && styleOf(loaded, of('STYLE')),
        covered: coveredUpTo === null ? 0 : (floatsOf(of('COVERED'))[0] ?? 0),
      };
    },
    lender: async (mouth, signal) => {
      const of = await ask(inputsOf(mouth, unshaped), [bytes('LENDER', lenderSize)], signal);
      // A copy: a view would keep the whole answer in memory.
      return Buffer.from(of('LENDER').data);
    },
    inside: async (lenders, mouth, signal) => {
      const lent = uint8('LENDERS', [lenders.length, lenderSize], Buffer.concat(lenders));
      const inputs = [...inputsOf(mouth, unshaped), lent];
      const of = await ask(inputs, [bytes('INSIDE', insideSize)], signal);
      return Buffer.from(of('INSIDE').data);
    },
    mark: async ({ width, height, luma, meshes, coding }, signal) => {
      const [mesh] = meshes;
      if (!mesh) return null;
      // Of the patch only the coding counts: two pixels by two are the smallest there is.
      const patch = { width: 2, height: 2, pixels: Buffer.alloc(6) };
      const inputs = [
        ...inputsOf({ patch, mesh, about: unmeasured(coding) }, unshaped),
        uint8('FRAMES', [luma.length, height, width], Buffer.concat(luma)),
        fp32('MESHES', [meshes.length, MESH_POINTS, 3], joined(meshes)),
      ];
      const { data } = (await ask(inputs, [bytes('MARK', height, width)], signal))('MARK');
      return data.every((share) => share === UNMARKED) ? null : Buffer.from(data);
    },
    render: async (mouth, { target, inside, edges, wanted = {}, memory }, signal) => {
      const { width, height } = mouth.patch;
      const parts =
        mouth.about.coding === 'rgb'
          ? [bytes('RGB', height, width, 3)]
          : [
              bytes('Y', height, width),
              bytes('U', height / 2, width / 2),
              bytes('V', height / 2, width / 2),
            ];
      const inputs = [
        ...inputsOf(mouth, target),
        ...(inside ? [uint8('INSIDE', [inside.length], inside)] : []),
        ...(edges && edgesSide > 0 ? [fp32('EDGES', [edgesSide, edgesSide], edges)] : []),
        ...wantedTensors(wants, wanted, mouth),
      ];
      const place =
        memory ?? Buffer.allocUnsafeSlow(renderedBytes(mouth.patch, mouth.about.coding));
      const outputs = into(place, [...parts, bytes('MASK', height, width)]);
      const of = await ask(inputs, outputs, signal);
      const mask = of('MASK').data;
      if (wants.mask && wanted.mask) checkMask(loaded, mask, wanted.mask);
      return { pixels: inOneRow(parts.map(({ name }) => of(name).data)), mask };
    },
  };
};

/** Throws Failure model_unavailable where a model changes what may not change. */
const checkMask = ({ slot }: LoadedModel, mask: Buffer, allowed: Buffer): void => {
  const beyond = mask.findIndex((share, i) => share > 0 && !allowed[i]);
  if (beyond >= 0)
    throw modelUnavailable(slot, new Error(`it changes pixel ${beyond}, which its MASK excludes`));
};

const faceOf = ({ width, height, channels, pixels, box }: FaceCut): Tensor[] => [
  uint8('FACE', [height, width, channels], pixels),
  fp32('BOX', [4], Float32Array.from(box)),
];

/** Throws Failure model_unavailable for a number that stands for no style. */
const styleOf = ({ slot }: LoadedModel, tensor: Tensor): Style => {
  const [number = -1] = intsOf(tensor);
  const style = STYLES[number];
  if (!style) throw modelUnavailable(slot, new Error(`its STYLE is ${number}`));
  return style;
};

const joined = (meshes: readonly Float32Array[]): Float32Array =>
  Float32Array.from(meshes.flatMap((mesh) => [...mesh]));

const inputsOf = ({ patch, mesh, about, mark }: Mouth, target: Float32Array): Tensor[] => [
  ...pixelTensors(patch, about.coding),
  ...codingTensors(about.coding),
  fp32('MESH', [MESH_POINTS, 3], mesh),
  fp32('TARGET', [SHAPE], target),
  fp32('SUBJECT', [about.subject.length], about.subject),
  styleTensor(about.style),
  ...(mark ? [uint8('MARK', [patch.height, patch.width], mark)] : []),
];
