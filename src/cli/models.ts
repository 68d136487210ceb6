import { type Model, ModelList } from '../contract/models.ts';
import { counted } from '../counted.ts';
import { createClient } from './client.ts';

type Options = { readonly url: string; readonly key: string; readonly json?: boolean };

/** `enhance models list` */
export const listModels = async ({ url, key, json }: Options): Promise<void> => {
  const { data } = ModelList.parse((await createClient(url, key).get('/v1/models')).data);
  if (json) return console.log(JSON.stringify(data));
  for (const model of data) {
    const state = model.ready ? 'ready' : 'not ready';
    console.log(
      `${model.id.padEnd(10)} ${model.version ?? '-'}  ${state}  ${model.engine ?? '-'}  ${termsOf(model)}`,
    );
  }
};

const termsOf = (model: Model): string =>
  model.operation === 'upscale'
    ? `x${model.options.scales.join(' x')}  ${counted(model.price.credits_per_megapixel, 'credit')}/MP`
    : `${model.options.sync_modes.join(' ')}  ${counted(model.price.credits_per_second, 'credit')}/s`;
