/** What can be done, to choose from. */
import type { Operation } from './catalogue.ts';
import { freshId, make } from './dom.ts';

export const operationSwitch = (operations: readonly Operation[], choose: (at: number) => void) => {
  const name = freshId('operation');
  const inputs = operations.map((_, at) =>
    make('input', { type: 'radio', name, change: () => choose(at) }),
  );
  const about = make('p', { class: 'hint' });
  const labels = operations.map(({ title }, at) =>
    make('label', {}, inputs[at], make('span', {}, title)),
  );
  return {
    element: make(
      'fieldset',
      { class: 'field' },
      make('legend', {}, 'What would you like to do?'),
      make('div', { class: 'segments wide' }, ...labels),
      about,
    ),
    set: (at: number): void => {
      for (const [i, input] of inputs.entries()) input.checked = i === at;
      about.textContent = `${operations[at]?.summary ?? ''}.`;
    },
  };
};
