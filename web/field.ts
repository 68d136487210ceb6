/** What all controls have in common: each tells its value, or undefined where the request is to leave the field out. */
import { make } from './dom.ts';
import type { Schema } from './schema.ts';
import { inFormWords, labelOf, sentence } from './words.ts';

export type Field = {
  readonly element: HTMLElement;
  /** Throws an Error with a sentence when what was typed is not complete. */
  value(): unknown;
  set(value: unknown): void;
};

export type Wanted = {
  readonly name: string;
  readonly schema: Schema;
  readonly root: Schema;
  readonly isRequired: boolean;
  /** In place of the values that the schema lists. */
  readonly allowed?: readonly (string | number)[] | undefined;
};

export const labelled = (
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

export const hint = ({ description }: Schema): HTMLElement | null =>
  // The document marks names in backticks, for Markdown.
  description ? make('p', { class: 'hint' }, sentence(inFormWords(description))) : null;
