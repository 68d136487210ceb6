/** Controls for what is typed: a number, a text, or JSON. */
import { freshId, make } from './dom.ts';
import { type Field, labelled, type Wanted } from './field.ts';
import { labelOf } from './words.ts';

export const number = ({ name, schema }: Wanted): Field => {
  const input = make('input', {
    id: freshId(name),
    type: 'number',
    min: schema.minimum,
    max: schema.maximum,
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

export const text = ({ name, schema }: Wanted): Field => {
  const input = make('input', {
    id: freshId(name),
    type: 'text',
    pattern: schema.pattern,
    placeholder: 'automatic',
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
export const json = ({ name, schema }: Wanted): Field => {
  const area = make('textarea', { id: freshId(name), rows: 2, spellcheck: 'false' });
  const [example] = schema.examples ?? [];
  if (schema.default !== undefined) area.placeholder = JSON.stringify(schema.default);
  else if (example !== undefined) area.placeholder = `such as ${JSON.stringify(example)}`;
  return {
    element: labelled(`${name} (JSON)`, schema, area),
    value: () => {
      if (area.value.trim() === '') return undefined;
      try {
        return JSON.parse(area.value);
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`${labelOf(name)}: expected JSON; ${why}.`, { cause });
      }
    },
    set: (value) => {
      const isDefault = JSON.stringify(value) === JSON.stringify(schema.default);
      area.value = value === undefined || isDefault ? '' : JSON.stringify(value);
    },
  };
};
