import { z } from 'zod';
import type { Model } from '../../client/contract.ts';
import { counted } from '../text/counted.ts';
import { aligned } from './aligned.ts';
import { type Calling, serviceOf } from './calling.ts';

type Options = Calling & { readonly json?: boolean };

/** `enhance models list` */
export const listModels = async (options: Options): Promise<void> => {
  const data = await serviceOf(options).models();
  if (options.json) return console.log(JSON.stringify(data));
  for (const line of modelLines(data)) console.log(line);
};

type Listed = Pick<Model, 'id' | 'ready' | 'engine' | 'price' | 'version' | 'releases'>;

/** A line for each model, and below it one for each of its releases where there are several. */
export const modelLines = (models: readonly Listed[]): string[] => {
  const lines = aligned(models.map(modelRow));
  return models.flatMap(({ releases }, at) => [
    lines[at] ?? '',
    // One release is the usual case, and the line above has it.
    ...aligned(releases.length > 1 ? releases.map(releaseRow) : []).map((line) => `  ${line}`),
  ]);
};

const modelRow = (model: Listed): string[] => [
  model.id,
  readyText(model.ready),
  model.engine ?? '-',
  termsOf(model),
  model.version ?? '-',
];

const releaseRow = ({ release, alias, percent, ready }: Listed['releases'][number]): string[] => [
  release,
  alias === 'candidate' ? `candidate, ${percent} % of new jobs` : (alias ?? '-'),
  readyText(ready),
];

const readyText = (ready: boolean): string => (ready ? 'ready' : 'not ready');

/** The price for a unit: "credits_per_megapixel: 0.5". */
const termsOf = ({ price }: Listed): string =>
  Object.entries(Prices.catch({}).parse(price))
    .filter(([name]) => name.startsWith('credits_per_'))
    .map(
      ([name, credits]) =>
        `${counted(credits, 'credit')} ${name.slice('credits_'.length).replaceAll('_', ' ')}`,
    )
    .join(', ');

const Prices = z.record(z.string(), z.number());
