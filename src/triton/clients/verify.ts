/** A contract with a model against the config that the server has for it. */
import type { ModelConfig } from '../protocol/control.ts';

/** A tensor as config.pbtxt describes it. A length of -1 is open. */
type TensorSpec = {
  readonly name: string;
  readonly type: string;
  readonly dims: readonly number[];
};
export type Contract = {
  readonly inputs: readonly TensorSpec[];
  readonly outputs: readonly TensorSpec[];
  readonly parameters: Readonly<Record<string, RegExp>>;
};

/** How the model differs from the contract; empty where it fits. It may have more than the contract, but no further input that it needs. */
export const differences = (config: ModelConfig, contract: Contract): string[] => [
  ...(config.max_batch_size === 0 ? [] : [`max_batch_size is ${config.max_batch_size}, not 0`]),
  ...contract.inputs.flatMap((spec) => differs('input', spec, config.input)),
  ...contract.outputs.flatMap((spec) => differs('output', spec, config.output)),
  ...config.input
    .filter(({ name, optional }) => !optional && !contract.inputs.some((s) => s.name === name))
    .map(({ name }) => `the model needs an input "${name}" that the contract does not have`),
  ...Object.entries(contract.parameters)
    .filter(([key, form]) => !form.test(config.parameters[key] ?? ''))
    .map(
      ([key, form]) =>
        `expected a parameter "${key}" that matches ${form}, got ${came(config.parameters[key])}`,
    ),
];

const differs = (kind: string, spec: TensorSpec, served: ModelConfig['input']): string[] => {
  const found = served.find(({ name }) => name === spec.name);
  const wanted = `${spec.type} [${spec.dims}]`;
  const has = found && `${found.data_type} [${found.dims}]`;
  return has === wanted
    ? []
    : [`expected the ${kind} "${spec.name}" as ${wanted}, got ${came(has)}`];
};

const came = (value: string | undefined): string => (value === undefined ? 'none' : `"${value}"`);
