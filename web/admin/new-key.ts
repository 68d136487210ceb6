/** The form that makes a key. */
import type { IssuedKey } from '../../src/contract/keys.ts';
import { make } from '../dom.ts';
import { ask } from './ask.ts';
import { accountInput, checkbox, field, form, input } from './inputs.ts';
import type { createSaid } from './section.ts';

const day = 86_400;
const lives: readonly (readonly [string, number | undefined])[] = [
  ['Never', undefined],
  ['In a day', day],
  ['In 30 days', 30 * day],
  ['In 90 days', 90 * day],
  ['In a year', 365 * day],
];

export const newKeyForm = (
  said: ReturnType<typeof createSaid>,
  show: (issued: IssuedKey, text: string) => Promise<void>,
): HTMLElement => {
  const [account, name] = [accountInput(), input({ type: 'text', maxlength: 100 })];
  const scopes = [
    { scope: 'create', ...checkbox('create: make, cancel and erase jobs', { checked: true }) },
    { scope: 'read', ...checkbox('read: jobs, results and credits', { checked: true }) },
    { scope: 'admin', ...checkbox('admin: this tab, for all accounts') },
  ];
  const life = make('select', {}, ...lives.map(([text]) => make('option', {}, text)));
  const credits = input({ type: 'number', min: 1, max: 1_000_000_000, step: 1 });

  const send = () =>
    said.trying(async () => {
      const issued = await ask<IssuedKey>('/v1/admin/keys', {
        method: 'POST',
        body: {
          account: account.value,
          name: name.value || undefined,
          scopes: scopes.filter(({ box }) => box.checked).map(({ scope }) => scope),
          expires_in_seconds: lives[life.selectedIndex]?.[1],
          credits: credits.value === '' ? undefined : credits.valueAsNumber,
        },
      });
      element.open = false;
      sent.reset();
      await show(issued, 'Key created.');
    });

  const sent = form(
    send,
    field('Account of the key', account, 'An account is there once it has a key.'),
    field('Name', name, 'To tell keys apart; it may stay empty.'),
    make(
      'fieldset',
      { class: 'field' },
      make('legend', {}, 'What it may do'),
      ...scopes.map(({ element }) => element),
    ),
    field('Expires', life),
    field('Credits', credits, 'Granted to the account along with the key; it may stay empty.'),
    make('p', { class: 'row' }, make('button', { type: 'submit', class: 'main' }, 'Make the key')),
  );
  const element = make('details', {}, make('summary', {}, 'New key'), sent);
  return element;
};
