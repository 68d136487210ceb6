/** A contract with a model against the config that the server has for it. */
import type { ModelConfig } from '../protocol/control.ts';

/** A tensor as config.pbtxt describes it. A length of -1 is open. */
type TensorSpec = {
  readonly name: string;
  readonly type: string;
  readonly dims: readonly number[];
};
export type Contract = Needs & {
  readonly outputs: readonly TensorSpec[];
  /** What a model may want besides: it gets what its parameter `wants` names, words separated by commas. */
  readonly wantable?: Readonly<Record<string, Needs>>;
};
type Needs = {
  readonly inputs: readonly TensorSpec[];
  readonly parameters: Readonly<Record<string, RegExp>>;
};

/** What a model's config says that it wants. */
export const wantsIn = ({ wants = '' }: Readonly<Record<string, string>>): string[] =>
  wants
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);

/**
 * How the model differs from the contract; empty where it fits. It may have more than the contract, but no further input that
 * it needs: what is wanted besides does not come with every request.
 */
export const differences = (config: ModelConfig, contract: Contract): string[] => {
  const { wantable = {} } = contract;
  const wants = wantsIn(config.parameters);
  const offered = Object.entries(wantable).filter(([word]) => wants.includes(word));
  const needs: readonly Needs[] = [contract, ...offered.map(([, needed]) => needed)];
  return [
    ...(config.max_batch_size === 0 ? [] : [`max_batch_size is ${config.max_batch_size}, not 0`]),
    ...wants
      .filter((word) => !Object.hasOwn(wantable, word))
      .map((word) => {
        const all = Object.keys(wantable).join(', ') || 'nothing';
        return `its parameter "wants" names "${word}"; this slot offers ${all}`;
      }),
    ...needs.flatMap(({ inputs }) =>
      inputs.flatMap((spec) => differs('input', spec, config.input)),
    ),
    ...contract.outputs.flatMap((spec) => differs('output', spec, config.output)),
    ...config.input
      .filter(({ name, optional }) => !optional && !contract.inputs.some((s) => s.name === name))
      .map(({ name }) => `the model needs an input "${name}", which not every request has`),
    ...needs.flatMap(({ parameters }) => wrongParameters(parameters, config)),
  ];
};

const wrongParameters = (forms: Needs['parameters'], { parameters }: ModelConfig): string[] =>
  Object.entries(forms)
    .filter(([key, form]) => !form.test(parameters[key] ?? ''))
    .map(
      ([key, form]) =>
        `expected a parameter "${key}" that matches ${form}, got ${came(parameters[key])}`,
    );

const differs = (kind: string, spec: TensorSpec, served: ModelConfig['input']): string[] => {
  const found = served.find(({ name }) => name === spec.name);
  const wanted = `${spec.type} [${spec.dims}]`;
  const has = found && `${found.data_type} [${found.dims}]`;
  return has === wanted
    ? []
    : [`expected the ${kind} "${spec.name}" as ${wanted}, got ${came(has)}`];
};

const came = (value: string | undefined): string => (value === undefined ? 'none' : `"${value}"`);
