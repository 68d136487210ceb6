/** What the clients of single models share: what they expect of a model, the model that they are opened over, and how it is asked. */
import type { ModelConfig } from '../protocol/control.ts';
import { modelUnavailable, toldAs } from '../protocol/faults.ts';
import { byteLength, type RequestedOutput, type Tensor } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { type Contract, differences } from './verify.ts';

/** A place that a model fills: its name (`photo`, `face_track`) and the contract of every release in it. */
export type Slot = { readonly name: string; readonly contract: Contract };

/** A release of a slot that Triton has loaded, its config checked. */
export type LoadedModel = {
  readonly slot: string;
  /** Under which Triton has it: `photo`, `photo__r2`. */
  readonly name: string;
  /** What callers see as model_version, or as a part of it. */
  readonly release: string;
  /** How many requests it computes at a time. */
  readonly instances: number;
  /** Whether an instance may be on a GPU. */
  readonly onGpu: boolean;
  /** All parameters of the model's config.pbtxt. */
  readonly parameters: Readonly<Record<string, string>>;
};

/** A loaded model for each of some slots. */
export type ModelSet = {
  /** The releases in the order of the slots, joined by "+": what callers see as model_version. */
  readonly version: string;
  readonly all: readonly LoadedModel[];
  /** Throws an Error for a slot that was not asked for. */
  of(slot: string): LoadedModel;
};

/** "+" joins the releases of several models to one version. */
const release = /^[^\s+]+$/;

/** The model as clients are opened over it. Throws Failure model_unavailable, whose cause names every difference from the contract. */
export const loadedAs = (slot: Slot, config: ModelConfig): LoadedModel => {
  const parameters = { ...slot.contract.parameters, release };
  const faults = differences(config, { ...slot.contract, parameters });
  if (faults.length > 0)
    throw modelUnavailable(config.name, new Error(`its config differs: ${faults.join('; ')}`));
  return {
    slot: slot.name,
    name: config.name,
    release: config.parameters.release ?? '',
    instances: config.instance_group.reduce((sum, { count }) => sum + count, 0),
    onGpu: config.instance_group.some(({ kind }) => kind !== 'KIND_CPU'),
    parameters: config.parameters,
  };
};

/** The outputs of one request by name; each has been checked. */
export type OutputsByName = (name: string) => Tensor;

/** Asks one model. Throws as `Transport.infer` does, with the slot as the model's name. */
export const openModel =
  (transport: Transport, { slot, name }: LoadedModel) =>
  async (
    inputs: readonly Tensor[],
    wanted: readonly RequestedOutput[],
    signal: AbortSignal,
  ): Promise<OutputsByName> => {
    const outputs = await toldAs(slot, transport.infer(name, inputs, wanted, signal));
    return (output) => {
      const found = outputs.find((one) => one.name === output);
      if (!found) throw new Error(`"${output}" of ${name} was not asked for`);
      return found;
    };
  };

export const floats = (name: string, ...shape: number[]): RequestedOutput => ({
  name,
  datatype: 'FP32',
  shape,
});
export const integers = (name: string, ...shape: number[]): RequestedOutput => ({
  name,
  datatype: 'INT32',
  shape,
});
export const bytes = (name: string, ...shape: number[]): RequestedOutput => ({
  name,
  datatype: 'UINT8',
  shape,
});
/** The same outputs, which all have a known length, their data in this memory one behind the other. */
export const into = (memory: Buffer, outputs: readonly RequestedOutput[]): RequestedOutput[] => {
  let end = 0;
  return outputs.map((output) => {
    const from = end;
    end += byteLength(output) ?? 0;
    return { ...output, into: memory.subarray(from, end) };
  });
};
export const shorts = (name: string, ...shape: number[]): RequestedOutput => ({
  name,
  datatype: 'UINT16',
  shape,
});
export const texts = (name: string, ...shape: number[]): RequestedOutput => ({
  name,
  datatype: 'BYTES',
  shape,
});
