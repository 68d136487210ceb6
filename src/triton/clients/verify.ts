/** Our contract with a model against the config that the server has for it. */
import type { ModelConfig } from '../protocol/control.ts';
import { modelUnavailable } from '../protocol/faults.ts';

type Slot = { readonly name: string; readonly type: string; readonly dims: readonly number[] };
export type Contract = {
  readonly inputs: readonly Slot[];
  readonly outputs: readonly Slot[];
  readonly parameters: Readonly<Record<string, RegExp>>;
};

/** Throws Failure model_unavailable whose cause names every difference. The model may have more than the contract, but no further input that it needs. */
export const verify = (config: ModelConfig, contract: Contract): void => {
  const faults = [
    ...(config.max_batch_size === 0 ? [] : [`max_batch_size is ${config.max_batch_size}, not 0`]),
    ...contract.inputs.flatMap((slot) => differs('input', slot, config.input)),
    ...contract.outputs.flatMap((slot) => differs('output', slot, config.output)),
    ...config.input
      .filter(({ name, optional }) => !optional && !contract.inputs.some((s) => s.name === name))
      .map(({ name }) => `the input "${name}" is needed and unknown to us`),
    ...Object.entries(contract.parameters)
      .filter(([key, form]) => !form.test(config.parameters[key] ?? ''))
      .map(
        ([key, form]) =>
          `the parameter "${key}" should match ${form}; ${came(config.parameters[key])} came`,
      ),
  ];
  if (faults.length > 0) {
    throw modelUnavailable(config.name, new Error(`its config differs: ${faults.join('; ')}`));
  }
};

const differs = (kind: string, slot: Slot, served: ModelConfig['input']): string[] => {
  const found = served.find(({ name }) => name === slot.name);
  const wanted = `${slot.type} [${slot.dims}]`;
  const has = found && `${found.data_type} [${found.dims}]`;
  return has === wanted
    ? []
    : [`the ${kind} "${slot.name}" should be ${wanted}; ${came(has)} came`];
};

const came = (value: string | undefined): string =>
  value === undefined ? 'nothing' : `"${value}"`;
