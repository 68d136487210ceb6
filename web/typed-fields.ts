/** Controls for what is typed: a number, a text, or JSON. */
import { freshId, make } from './dom.ts';
import { type Field, labelled, type Wanted } from './field.ts';
import { labelOf, messageOf } from './words.ts';

export const number = (wanted: Wanted): Field => {
  const { name, schema } = wanted;
  const input = make('input', {
    id: freshId(name),
    type: 'number',
    min: schema.minimum,
    max: schema.maximum,
    step: schema.type === 'integer' ? 1 : 'any',
    placeholder: schema.default === undefined ? 'automatic' : String(schema.default),
  });
  const range = `${schema.minimum ?? 'any'} to ${schema.maximum ?? 'any'}`;
  return typed(wanted, input, {
    label: name,
    value: () => {
      if (!input.validity.valid) throw new Error(`${labelOf(name)}: expected a number, ${range}.`);
      return input.value === '' ? undefined : input.valueAsNumber;
    },
    textOf: (value) => (typeof value === 'number' && value !== schema.default ? String(value) : ''),
  });
};

export const text = (wanted: Wanted): Field => {
  const { name, schema } = wanted;
  const input = make('input', {
    id: freshId(name),
    type: 'text',
    pattern: schema.pattern,
    placeholder: 'automatic',
  });
  return typed(wanted, input, {
    label: name,
    value: () => {
      if (!input.validity.valid)
        throw new Error(`${labelOf(name)}: expected ${schema.description ?? schema.pattern}.`);
      return input.value === '' ? undefined : input.value;
    },
    textOf: (value) => (typeof value === 'string' ? value : ''),
  });
};

/** What has no control of its own is written as JSON. */
export const json = (wanted: Wanted): Field => {
  const { name, schema } = wanted;
  const area = make('textarea', { id: freshId(name), rows: 2, spellcheck: 'false' });
  const [example] = schema.examples ?? [];
  if (schema.default !== undefined) area.placeholder = JSON.stringify(schema.default);
  else if (example !== undefined) area.placeholder = `such as ${JSON.stringify(example)}`;
  return typed(wanted, area, {
    label: `${name} (JSON)`,
    value: () => {
      if (area.value.trim() === '') return undefined;
      try {
        return JSON.parse(area.value);
      } catch (cause) {
        throw new Error(`${labelOf(name)}: expected JSON; ${messageOf(cause)}.`, { cause });
      }
    },
    textOf: (value) => {
      const isDefault = JSON.stringify(value) === JSON.stringify(schema.default);
      return value === undefined || isDefault ? '' : JSON.stringify(value);
    },
  });
};

type Typed = {
  readonly label: string;
  /** Throws an Error with a sentence when what was typed is not complete. */
  readonly value: () => unknown;
  readonly textOf: (value: unknown) => string;
};

/** What was expected is told beside the control, too, as soon as it was left. */
const typed = (
  { schema }: Wanted,
  control: HTMLInputElement | HTMLTextAreaElement,
  { label, value, textOf }: Typed,
): Field => {
  const fault = make('p', { class: 'fault', id: freshId('fault'), role: 'alert' });
  const element = labelled(label, schema, control);
  element.append(fault);
  control.setAttribute('aria-describedby', fault.id);
  const check = (): void => {
    const found = faultOf(value);
    fault.textContent = found;
    control.setAttribute('aria-invalid', String(found !== ''));
  };
  control.addEventListener('change', check);
  return {
    element,
    value,
    set: (given) => {
      control.value = textOf(given);
      check();
    },
  };
};

const faultOf = (value: () => unknown): string => {
  try {
    value();
    return '';
  } catch (error) {
    return messageOf(error);
  }
};
