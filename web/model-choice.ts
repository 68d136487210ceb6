/** The models of an operation to choose from, with what each is for and what it costs. */
import type { Model } from '../src/contract/models.ts';
import { type Operation, rateText } from './catalogue.ts';
import { freshId, make } from './dom.ts';
import { labelOf, sentence } from './words.ts';

export const modelChoice = ({ models, variants }: Operation) => {
  const name = freshId('model');
  const first = models.findIndex(({ ready }) => ready);
  const inputs = models.map((_, at) =>
    make('input', { type: 'radio', name, checked: at === Math.max(0, first) }),
  );
  const cards = models.map((model, at) =>
    make(
      'label',
      { class: 'model' },
      inputs[at],
      make(
        'span',
        {},
        make('strong', {}, labelOf(model.id)),
        !model.ready && make('em', { class: 'tag' }, 'not ready'),
        make('span', { class: 'about' }, sentence(model.description)),
        make('span', { class: 'rate' }, rateText(model, variants)),
      ),
    ),
  );
  return {
    element: make('fieldset', { class: 'field models' }, make('legend', {}, 'Model'), ...cards),
    model: (): Model | undefined => models[inputs.findIndex(({ checked }) => checked)],
    set: (id: unknown): void => {
      const chosen = models.findIndex((model) => model.id === id);
      // One that is not there any more leaves the choice as it is.
      if (chosen >= 0) for (const [at, input] of inputs.entries()) input.checked = at === chosen;
    },
  };
};
