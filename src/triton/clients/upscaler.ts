/** Pictures to the models that enlarge them, and back. */
import { type Picture, scaled } from '../../frame.ts';
import { modelUnavailable } from '../protocol/faults.ts';
import {
  decodeStrings,
  floatsOf,
  fp32,
  int32,
  intsOf,
  type Tensor,
  uint8,
  uint16,
} from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import {
  bytes,
  floats,
  integers,
  type LoadedModel,
  openModel,
  type Slot,
  shorts,
  texts,
} from './model.ts';

export type Upscaler = {
  /** Bands of a picture start at multiples of this many rows, and include this many rows of context. */
  readonly bandAlign: number;
  readonly bandHalo: number;
  /** How many rows of its own a band has; 0: `bandsOf` decides. */
  readonly bandRows: number;
  /** How many columns of its own a band has; 0: all. */
  readonly bandColumns: number;
  /** How many rows and columns of context follow a band at a scale; null: as many as go before it. */
  readonly bandAfter: (scale: number) => number | null;
  /** How far an opaque output pixel looks, in input pixels, at `scale` and a level below 3; null where the release does not say. */
  readonly reach: (scale: number) => number | null;
  /** Whether it takes pictures of 16 bits; every release takes those of 8. */
  readonly takesDeep: boolean;
  /** The levels at which it takes away blocks and noise; empty where it does not. */
  readonly levels: readonly Level[];
  /** The picture at `scale`, of the same depth. The signal's reason is thrown on abort. */
  run(picture: Picture, scale: number, signal: AbortSignal, damage?: Damage): Promise<Picture>;
  /** What MEASURED is for this picture, or a part of it that begins at a multiple of 8 rows. */
  measure(picture: Picture, signal: AbortSignal): Promise<Damage>;
};

/** What is taken away. */
export type Damage = {
  readonly level: Level;
  /** Standard deviation of luma in levels of 255: of noise that goes before, at level 1 from colours alone. */
  readonly noise?: number | undefined;
  /** The same of means of 2 x 2 pixels: of noise that is wider than a pixel. */
  readonly wideNoise?: number | undefined;
};

/** 0 to 3: how much of blocks and noise is taken away. Above: what a codec left. */
export type Level = number;
/** The strongest of these; a JPEG of medium quality too. It evens colours, over more than the `reach` of a release. */
export const STRONGEST: Level = 3;
/** What a hard JPEG left. */
export const JPEG: Level = 4;
/** What H.264 left. */
export const H264: Level = 5;
/** The model measures the level itself, by the traces of a JPEG and by noise (enhance/upscale/damage.py). */
export const MEASURED: Level = -1;

/** Each model that callers know is a slot of its own. */
export const upscalerSlot = (model: string): Slot => ({
  name: model,
  contract: {
    inputs: [
      { name: 'IMAGE', type: 'TYPE_UINT8', dims: [-1, -1, -1] },
      { name: 'SCALE', type: 'TYPE_INT32', dims: [1] },
    ],
    outputs: [
      { name: 'IMAGE', type: 'TYPE_UINT8', dims: [-1, -1, -1] },
      { name: 'ENGINE', type: 'TYPE_STRING', dims: [1] },
    ],
    parameters: {
      scales: /^2,4,8$/,
      reach: /^(\d+,\d+,\d+)?$/,
      band_align: /^[1-9]\d*$/,
      band_halo: /^\d+$/,
      band_rows: /^\d+$/,
    },
  },
});

export const openUpscaler = (transport: Transport, loaded: LoadedModel): Upscaler => {
  const ask = openModel(transport, loaded);
  const { band_align, band_halo, band_rows, band_columns = '0' } = loaded.parameters;
  const { denoise = '', depths = '', noise: takesNoise, wide_noise } = loaded.parameters;
  return {
    bandAlign: Number(band_align),
    bandHalo: Number(band_halo),
    bandRows: Number(band_rows),
    bandColumns: Number(band_columns),
    bandAfter: byScale(loaded, 'band_after'),
    reach: byScale(loaded, 'reach'),
    takesDeep: depths.split(',').includes('16'),
    levels: /^1,2,3(,|$)/.test(denoise) ? denoise.split(',').map(Number) : [],
    run: async (picture, scale, signal, { level, noise = 0, wideNoise = 0 } = { level: 0 }) => {
      const { channels, depth } = picture;
      const size = scaled(picture, scale);
      const [name, , wanted] = depth ? deep : usual;
      const inputs = [
        ...[tensorOf(picture), int32('SCALE', [scale])],
        ...(level === 0 ? [] : [int32('DENOISE', [level])]),
        ...(noise === 0 ? [] : [fp32('NOISE', [1], Float32Array.of(noise))]),
        ...(wideNoise === 0 ? [] : [fp32('WIDE_NOISE', [1], Float32Array.of(wideNoise))]),
      ];
      const of = await ask(inputs, [wanted(name, size.height, size.width, channels)], signal);
      return { ...size, channels, pixels: of(name).data, ...(depth && { depth }) };
    },
    measure: async (picture, signal) => {
      const inputs = [tensorOf(picture), int32('SCALE', [2])];
      const names = [...(takesNoise ? ['NOISE'] : []), ...(wide_noise ? ['WIDE_NOISE'] : [])];
      const wanted = [integers('DENOISE', 1), ...names.map((name) => floats(name, 1))];
      const of = await ask(inputs, wanted, signal);
      const [level = 0] = intsOf(of('DENOISE'));
      const told = (name: string) => (names.includes(name) ? floatsOf(of(name))[0] : 0);
      return { level, noise: told('NOISE'), wideNoise: told('WIDE_NOISE') };
    },
  };
};

/** A parameter with a number for each scale, in the order of `scales`; null where the release has none. */
export const byScale = ({ parameters: { scales = '', ...others } }: LoadedModel, name: string) => {
  const numbers = others[name] ? others[name].split(',').map(Number) : [];
  return (scale: number): number | null =>
    numbers[scales.split(',').indexOf(String(scale))] ?? null;
};

/** Pictures of 8 and of 16 bits: the name of the tensor both ways, how it is sent, and what is asked for. */
const usual = ['IMAGE', uint8, bytes] as const;
const deep = ['IMAGE16', uint16, shorts] as const;

const tensorOf = ({ width, height, channels, depth, pixels }: Picture): Tensor => {
  const [name, tensor] = depth ? deep : usual;
  return tensor(name, [height, width, channels], pixels);
};

/**
 * What computes it: library, precision, device. Only the model's process knows which engine it got, so it is
 * asked with a picture of one pixel, which also warms it up.
 */
export const askEngine = async (
  transport: Transport,
  loaded: LoadedModel,
  signal: AbortSignal,
): Promise<string> => {
  const inputs = [uint8('IMAGE', [1, 1, 3], Buffer.alloc(3)), int32('SCALE', [2])];
  const of = await openModel(transport, loaded)(inputs, [texts('ENGINE', 1)], signal);
  const [engine = ''] = decodeStrings(of('ENGINE').data);
  if (!engine) throw modelUnavailable(loaded.slot, new Error('its ENGINE is empty'));
  return engine;
};
