/** Pictures to the models that enlarge them, and back. */

import { type Picture, scaled } from '../../frame.ts';
import type { Scale } from '../../operations/upscale/request.ts';
import type { Control } from '../protocol/control.ts';
import { modelUnavailable } from '../protocol/faults.ts';
import { decodeStrings, int32, type Tensor, type Wanted } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { type Contract, verify } from './verify.ts';

export type UpscalerInfo = {
  readonly model: string;
  /** What callers see as model_version; a cached result belongs to one. */
  readonly release: string;
  /** Bands of a picture start at multiples of so many rows, and take so many rows of context along. */
  readonly bandAlign: number;
  readonly bandHalo: number;
  /** How many rows of its own a band has; 0: the pipeline decides. */
  readonly bandRows: number;
};

export type Upscaler = UpscalerInfo & {
  /** The picture at `scale`. The signal's reason is thrown on abort. */
  run(picture: Picture, scale: Scale, signal: AbortSignal): Promise<Picture>;
};

const contract: Contract = {
  inputs: [
    { name: 'IMAGE', type: 'TYPE_UINT8', dims: [-1, -1, -1] },
    { name: 'SCALE', type: 'TYPE_INT32', dims: [1] },
  ],
  outputs: [
    { name: 'IMAGE', type: 'TYPE_UINT8', dims: [-1, -1, -1] },
    { name: 'ENGINE', type: 'TYPE_STRING', dims: [1] },
  ],
  parameters: {
    ...{ release: /^\S+$/, scales: /^2,4,8$/ },
    ...{ band_align: /^[1-9]\d*$/, band_halo: /^\d+$/, band_rows: /^\d+$/ },
  },
};

/** What a loaded model says of itself, its config checked. Throws Failure model_unavailable. */
export const readUpscaler = async (model: string, control: Control): Promise<UpscalerInfo> => {
  const config = await control.modelConfig(model);
  verify(config, contract);
  const { release = '', band_align, band_halo, band_rows } = config.parameters;
  return {
    ...{ model, release, bandAlign: Number(band_align) },
    ...{ bandHalo: Number(band_halo), bandRows: Number(band_rows) },
  };
};

/** Opens a model whose config is what we expect. Throws Failure model_unavailable otherwise. */
export const openUpscaler = async (
  model: string,
  transport: Transport,
  control: Control,
): Promise<Upscaler> => ({
  ...(await readUpscaler(model, control)),
  run: async (picture, scale, signal) => {
    const size = scaled(picture, scale);
    const wanted = image(size.height, size.width, picture.channels);
    const inputs = [
      { ...image(picture.height, picture.width, picture.channels), data: picture.pixels },
      int32('SCALE', [scale]),
    ];
    const pixels = await ask(transport, model, inputs, wanted, signal);
    return { ...size, channels: picture.channels, pixels };
  },
});

/**
 * What computes it: library, precision, device. Only the model's process knows what it got, so it is
 * told with a picture of one pixel, which also warms it up.
 */
export const askEngine = async (
  model: string,
  transport: Transport,
  signal: AbortSignal,
): Promise<string> => {
  const inputs = [{ ...image(1, 1, 3), data: Buffer.alloc(3) }, int32('SCALE', [2])];
  const wanted: Wanted = { name: 'ENGINE', datatype: 'BYTES', shape: [1] };
  const [engine = ''] = decodeStrings(await ask(transport, model, inputs, wanted, signal));
  if (!engine) throw modelUnavailable(model, new Error('its ENGINE is empty'));
  return engine;
};

const image = (height: number, width: number, channels: number): Wanted => ({
  name: 'IMAGE',
  datatype: 'UINT8',
  shape: [height, width, channels],
});

const ask = async (
  transport: Transport,
  model: string,
  inputs: readonly Tensor[],
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Buffer> => {
  const [output] = await transport.infer(model, inputs, [wanted], signal);
  if (!output) throw new Error(`${transport.kind} gave no output and no error`);
  return output.data;
};
