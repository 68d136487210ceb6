/** Controls made from JSON Schemas. Each tells its value, or undefined where the request is to leave the field out. */
import { freshId, make } from './dom.ts';
import { choices, resolved, type Schema } from './schema.ts';
import { labelOf, sentence } from './words.ts';

export type Field = {
  readonly element: HTMLElement;
  /** Throws an Error with a sentence when what was typed is not complete. */
  value(): unknown;
  set(value: unknown): void;
};

type Wanted = {
  readonly name: string;
  readonly schema: Schema;
  readonly root: Schema;
  readonly isRequired: boolean;
  /** In place of the values that the schema lists. */
  readonly allowed?: readonly (string | number)[] | undefined;
};

export const fieldFor = (wanted: Wanted): Field => {
  const { schema, allowed } = wanted;
  const values = allowed ?? choices(schema);
  if (values) return choice(wanted, values);
  if (schema.type === 'boolean') return flag(wanted);
  if (schema.type === 'number' || schema.type === 'integer') return number(wanted);
  if (schema.type === 'object' && schema.properties) return group(wanted);
  return schema.type === 'string' ? text(wanted) : json(wanted);
};

/** Up to four values of a required field as buttons, all others as a list. */
const choice = (wanted: Wanted, values: readonly (string | number)[]): Field =>
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
      make('option', {}, value === undefined ? 'Automatic' : String(value)),
    ),
  );
  select.selectedIndex = Math.max(0, position(options, schema.default));
  const value = () => options[select.selectedIndex];
  return {
    element: labelled(name, schema, select),
    value: () => (value() === schema.default ? undefined : value()),
    set: (given) => {
      select.selectedIndex = Math.max(0, position(options, given ?? schema.default));
    },
  };
};

const position = (values: readonly unknown[], value: unknown): number => values.indexOf(value);

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

const number = ({ name, schema }: Wanted): Field => {
  const input = make('input', {
    ...{ id: freshId(name), type: 'number', min: schema.minimum, max: schema.maximum },
    step: schema.type === 'integer' ? 1 : 'any',
    placeholder: schema.default === undefined ? 'automatic' : String(schema.default),
  });
  const range = `${schema.minimum ?? 'any'} to ${schema.maximum ?? 'any'}`;
  return {
    element: labelled(name, schema, input),
    value: () => {
      if (!input.validity.valid) throw new Error(`${labelOf(name)}: expected a number, ${range}.`);
      return input.value === '' ? undefined : input.valueAsNumber;
    },
    set: (value) => {
      input.value = typeof value === 'number' && value !== schema.default ? String(value) : '';
    },
  };
};

const text = ({ name, schema }: Wanted): Field => {
  const input = make('input', {
    ...{ id: freshId(name), type: 'text', pattern: schema.pattern, placeholder: 'automatic' },
  });
  return {
    element: labelled(name, schema, input),
    value: () => {
      if (!input.validity.valid)
        throw new Error(`${labelOf(name)}: expected ${schema.description ?? schema.pattern}.`);
      return input.value === '' ? undefined : input.value;
    },
    set: (value) => {
      input.value = typeof value === 'string' ? value : '';
    },
  };
};

/** What has no control of its own is written as JSON. */
const json = ({ name, schema }: Wanted): Field => {
  const area = make('textarea', { id: freshId(name), rows: 2, spellcheck: 'false' });
  if (schema.default !== undefined) area.placeholder = JSON.stringify(schema.default);
  return {
    element: labelled(`${name} (JSON)`, schema, area),
    value: () => {
      if (area.value.trim() === '') return undefined;
      try {
        return JSON.parse(area.value);
      } catch (cause) {
        throw new Error(`${labelOf(name)}: expected JSON; ${cause}.`, { cause });
      }
    },
    set: (value) => {
      const isDefault = JSON.stringify(value) === JSON.stringify(schema.default);
      area.value = value === undefined || isDefault ? '' : JSON.stringify(value);
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

const labelled = (
  name: string,
  schema: Schema,
  control: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement,
): HTMLElement =>
  make(
    'div',
    { class: 'field' },
    make('label', { for: control.id }, labelOf(name)),
    control,
    hint(schema),
  );

const hint = ({ description }: Schema): HTMLElement | null =>
  description ? make('p', { class: 'hint' }, sentence(description)) : null;
