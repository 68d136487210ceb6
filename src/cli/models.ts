import { z } from 'zod';
import type { Model } from '../../client/contract.ts';
import { counted } from '../counted.ts';
import { type Calling, serviceOf } from './calling.ts';

type Options = Calling & { readonly json?: boolean };

/** `enhance models list` */
export const listModels = async (options: Options): Promise<void> => {
  const data = await serviceOf(options).models();
  if (options.json) return console.log(JSON.stringify(data));
  const width = Math.max(...data.map(({ id }) => id.length));
  for (const model of data) {
    const state = model.ready ? 'ready' : 'not ready';
    console.log(
      `${model.id.padEnd(width)}  ${model.version ?? '-'}  ${state}  ${model.engine ?? '-'}  ${termsOf(model)}`,
    );
    // One release is the usual case, and the line above tells it.
    for (const { release, alias, percent, ready } of model.releases.length > 1
      ? model.releases
      : []) {
      const share = alias === 'candidate' ? `candidate, ${percent} % of new jobs` : (alias ?? '-');
      console.log(`  ${release.padEnd(14)} ${share}  ${ready ? 'ready' : 'not ready'}`);
    }
  }
};

/** The price for a unit: "credits_per_megapixel: 0.5". */
const termsOf = (model: Model): string =>
  Object.entries(Prices.catch({}).parse(model.price))
    .filter(([name]) => name.startsWith('credits_per_'))
    .map(
      ([name, credits]) =>
        `${counted(credits, 'credit')} ${name.slice('credits_'.length).replaceAll('_', ' ')}`,
    )
    .join(', ');

const Prices = z.record(z.string(), z.number());
