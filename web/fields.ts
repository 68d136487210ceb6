/** Controls made from JSON Schemas. */
import { choice } from './choice-field.ts';
import { make } from './dom.ts';
import { type Field, hint, type Wanted } from './field.ts';
import { choices, resolved } from './schema.ts';
import { json, number, text } from './typed-fields.ts';
import { labelOf } from './words.ts';

export const fieldFor = (wanted: Wanted): Field => {
  const { schema, allowed } = wanted;
  const values = allowed ?? choices(schema);
  if (values) return choice(wanted, values);
  if (schema.type === 'boolean') return flag(wanted);
  if (schema.type === 'number' || schema.type === 'integer') return number(wanted);
  if (schema.type === 'object' && schema.properties) return group(wanted);
  return schema.type === 'string' ? text(wanted) : json(wanted);
};

const flag = ({ name, schema }: Wanted): Field => {
  const isOn = schema.default === true;
  const input = make('input', { type: 'checkbox', checked: isOn });
  return {
    element: make(
      'div',
      { class: 'field' },
      make('label', { class: 'check' }, input, make('span', {}, labelOf(name))),
      hint(schema),
    ),
    value: () => (input.checked === isOn ? undefined : input.checked),
    set: (value) => {
      input.checked = typeof value === 'boolean' ? value : isOn;
    },
  };
};

const group = ({ name, schema, root }: Wanted): Field => {
  const fields = Object.entries(schema.properties ?? {}).map(([inner, one]) => {
    const isRequired = schema.required?.includes(inner) ?? false;
    return [
      inner,
      fieldFor({ name: inner, schema: resolved(one, root), root, isRequired }),
    ] as const;
  });
  return {
    element: make(
      'fieldset',
      { class: 'group' },
      make('legend', {}, labelOf(name)),
      ...fields.map(([, { element }]) => element),
    ),
    value: () => {
      const set = fields
        .map(([inner, field]) => [inner, field.value()] as const)
        .filter(([, value]) => value !== undefined);
      return set.length > 0 ? Object.fromEntries(set) : undefined;
    },
    set: (value) => {
      const given: Readonly<Record<string, unknown>> = Object(value);
      for (const [inner, field] of fields) field.set(given[inner]);
    },
  };
};
