/** A control for values that are all known. */
import { freshId, make } from './dom.ts';
import { type Field, hint, labelled, type Wanted } from './field.ts';
import { labelOf } from './words.ts';

/** Up to four values of a required field as buttons, all others as a list. */
export const choice = (wanted: Wanted, values: readonly (string | number)[]): Field =>
  wanted.isRequired && values.length <= 4 ? segments(wanted, values) : list(wanted, values);

const segments = ({ name, schema }: Wanted, values: readonly (string | number)[]): Field => {
  const group = freshId(name);
  const inputs = values.map((value, at) =>
    make('input', { type: 'radio', name: group, value, checked: at === 0 }),
  );
  const labels = inputs.map((input, at) =>
    make(
      'label',
      {},
      input,
      make('span', {}, name === 'scale' ? `${values[at]}×` : String(values[at])),
    ),
  );
  const element = make(
    'fieldset',
    { class: 'field' },
    make('legend', {}, labelOf(name)),
    make('div', { class: 'segments' }, ...labels),
    hint(schema),
  );
  return {
    element,
    value: () => values[inputs.findIndex(({ checked }) => checked)],
    set: (value) => {
      // One that is not offered here, as by another model, gives way to the first.
      const chosen = Math.max(0, position(values, value));
      for (const [at, input] of inputs.entries()) input.checked = at === chosen;
    },
  };
};

const list = ({ name, schema }: Wanted, values: readonly (string | number)[]): Field => {
  const isSet = schema.default !== undefined;
  const options = [...(isSet ? [] : [undefined]), ...values];
  const select = make(
    'select',
    { id: freshId(name) },
    ...options.map((value) =>
      make('option', {}, value === undefined ? 'Automatic' : String(value).replaceAll('_', ' ')),
    ),
  );
  select.selectedIndex = Math.max(0, position(options, schema.default));
  const value = () => options[select.selectedIndex];
  const element = labelled(name, schema, select);
  element.hidden = values.length < 2; // no choice: the service takes the one there is
  return {
    element,
    value: () => (value() === schema.default ? undefined : value()),
    set: (given) => {
      select.selectedIndex = Math.max(0, position(options, given ?? schema.default));
    },
  };
};

const position = (values: readonly unknown[], value: unknown): number => values.indexOf(value);
