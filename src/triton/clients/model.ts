/** What the clients of single models share: a config that is checked before anything is asked, and outputs by name. */
import type { Control } from '../protocol/control.ts';
import type { Tensor, Wanted } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { type Contract, verify } from './verify.ts';

/** A model whose config is what we expect. */
export type Described = {
  /** What callers see of it as part of model_version. */
  readonly release: string;
  readonly parameters: Readonly<Record<string, string>>;
};

/** Throws Failure model_unavailable. */
export const describe = async (
  model: string,
  contract: Contract,
  control: Control,
): Promise<Described> => {
  const config = await control.modelConfig(model);
  verify(config, { ...contract, parameters: { ...contract.parameters, release: /^\S+$/ } });
  const { release = '' } = config.parameters;
  return { release, parameters: config.parameters };
};

/** The outputs that are wanted, by name; each has been checked. Throws as `Transport.infer` does. */
export const ask = async (
  transport: Transport,
  model: string,
  inputs: readonly Tensor[],
  wanted: readonly Wanted[],
  signal: AbortSignal,
): Promise<(name: string) => Tensor> => {
  const outputs = await transport.infer(model, inputs, wanted, signal);
  return (name) => {
    const found = outputs.find((output) => output.name === name);
    if (!found) throw new Error(`"${name}" of ${model} was not asked for`);
    return found;
  };
};

export const floats = (name: string, ...shape: number[]): Wanted => ({
  ...{ name, datatype: 'FP32', shape },
});
export const integers = (name: string, ...shape: number[]): Wanted => ({
  ...{ name, datatype: 'INT32', shape },
});
export const bytes = (name: string, ...shape: number[]): Wanted => ({
  ...{ name, datatype: 'UINT8', shape },
});
