/** Sound to what the mouth does while it is spoken, 100 times a second. */
import { floatsOf, fp32, int32 } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { floats, type LoadedModel, openModel, type Slot } from './model.ts';

export const CLASSES = 20;
/** Numbers of a step of `Heard.curves`; the first is the jaw's. */
export const CURVES = 6;
/** Samples of 16 kHz in a step; the middle of step i is at 10 i + 5 ms. */
const STEP = 160;
export const STEP_SECONDS = 0.01;

/** Row-major, `steps` rows each. */
export type Heard = {
  readonly steps: number;
  /** The probabilities of 20 articulatory classes. */
  readonly posteriors: Float32Array;
  /** Jaw, width, rounding, closure, labiodental, tongue. */
  readonly curves: Float32Array;
  /** The probability, 0..1, that there is speech. */
  readonly activity: Float32Array;
};

export type Speech = {
  /** pcm: 16 kHz mono, -1..1, the whole file. */
  listen(pcm: Float32Array, signal: AbortSignal): Promise<Heard>;
};

export const speechSlot: Slot = {
  name: 'speech',
  contract: {
    inputs: [
      { name: 'PCM', type: 'TYPE_FP32', dims: [-1] },
      { name: 'FUSE', type: 'TYPE_INT32', dims: [1] },
    ],
    outputs: [
      { name: 'POSTERIORS', type: 'TYPE_FP32', dims: [-1, CLASSES] },
      { name: 'CURVES', type: 'TYPE_FP32', dims: [-1, CURVES] },
      { name: 'ACTIVITY', type: 'TYPE_FP32', dims: [-1] },
    ],
    parameters: {},
  },
};

export const openSpeech = (transport: Transport, loaded: LoadedModel): Speech => {
  const ask = openModel(transport, loaded);
  return {
    listen: async (pcm, signal) => {
      const steps = Math.floor(pcm.length / STEP);
      const inputs = [fp32('PCM', [pcm.length], pcm), int32('FUSE', [1])];
      const wanted = [
        floats('POSTERIORS', steps, CLASSES),
        floats('CURVES', steps, CURVES),
        floats('ACTIVITY', steps),
      ];
      const of = await ask(inputs, wanted, signal);
      return {
        steps,
        posteriors: floatsOf(of('POSTERIORS')),
        curves: floatsOf(of('CURVES')),
        activity: floatsOf(of('ACTIVITY')),
      };
    },
  };
};
