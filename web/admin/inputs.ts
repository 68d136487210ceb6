/** Labelled inputs for the forms of the admin tab. The browser itself checks them before a form is sent. */
import { freshId, make } from '../dom.ts';

type Attributes = NonNullable<Parameters<typeof make>[1]>;

export const field = (
  label: string,
  control: HTMLInputElement | HTMLSelectElement,
  hint = '',
): HTMLElement => {
  control.id ||= freshId('field');
  return make(
    'div',
    { class: 'field' },
    make('label', { for: control.id }, label),
    control,
    hint !== '' && make('p', { class: 'hint' }, hint),
  );
};

export const input = (attributes: Attributes): HTMLInputElement =>
  make('input', { autocomplete: 'off', spellcheck: 'false', ...attributes });

/** The name of an account, as the contract has it. */
export const accountInput = (): HTMLInputElement =>
  input({
    type: 'text',
    required: true,
    maxlength: 64,
    pattern: '[A-Za-z0-9][A-Za-z0-9._\\-]*',
    title: 'letters, digits, ".", "_" and "-", beginning with a letter or digit',
  });

export const checkbox = (label: string, attributes: Attributes = {}) => {
  const box = make('input', { type: 'checkbox', ...attributes });
  return { box, element: make('label', { class: 'check' }, box, make('span', {}, label)) };
};

/** A form whose own way of sending is not used. */
export const form = (send: () => unknown, ...children: readonly Node[]): HTMLFormElement =>
  make(
    'form',
    {
      submit: (event) => {
        event.preventDefault();
        send();
      },
    },
    ...children,
  );
