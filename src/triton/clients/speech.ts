/** Sound to what the mouth does in it, a hundred times a second. */
import type { Control } from '../protocol/control.ts';
import { floatsOf, fp32, int32 } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { ask, describe, floats } from './model.ts';
import type { Contract } from './verify.ts';

const model = 'speech';
const CLASSES = 20;
const CURVES = 6;
/** Samples of 16 kHz a step; step i is centred at i * 10 + 5 ms. */
const STEP = 160;
export const STEP_SECONDS = 0.01;

/** Row-major, `steps` rows each. */
export type Heard = {
  readonly steps: number;
  /** 20 articulatory classes. */
  readonly posteriors: Float32Array;
  /** Jaw, width, rounding, closure, labiodental, tongue. */
  readonly curves: Float32Array;
  /** 0..1: somebody speaks. */
  readonly activity: Float32Array;
};

export type Speech = {
  readonly release: string;
  /** pcm: 16 kHz mono, -1..1, the whole file. */
  listen(pcm: Float32Array, signal: AbortSignal): Promise<Heard>;
};

const contract: Contract = {
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
};

export const readSpeech = (control: Control) => describe(model, contract, control);

export const openSpeech = async (transport: Transport, control: Control): Promise<Speech> => {
  const { release } = await readSpeech(control);
  return {
    release,
    listen: async (pcm, signal) => {
      const steps = Math.floor(pcm.length / STEP);
      const inputs = [fp32('PCM', [pcm.length], pcm), int32('FUSE', [1])];
      const wanted = [
        floats('POSTERIORS', steps, CLASSES),
        floats('CURVES', steps, CURVES),
        floats('ACTIVITY', steps),
      ];
      const of = await ask(transport, model, inputs, wanted, signal);
      return {
        steps,
        posteriors: floatsOf(of('POSTERIORS')),
        curves: floatsOf(of('CURVES')),
        activity: floatsOf(of('ACTIVITY')),
      };
    },
  };
};
