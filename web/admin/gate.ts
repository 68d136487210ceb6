/** Asks for the admin key, and says how one is made. */

import { EnhanceError } from '../../client/errors.ts';
import type { OwnKey } from '../../src/contract/keys.ts';
import { make } from '../dom.ts';
import { plainBox, problemBox } from '../problem-box.ts';
import { reasonOf } from '../service.ts';
import { ask, keepKey } from './ask.ts';
import { field, form, input } from './inputs.ts';
import { card } from './section.ts';

/** `reason`: why the key of before is no good; empty where there was none. `enter` is called when a key was kept. */
export const gate = (reason: string, enter: () => Promise<void>): HTMLElement => {
  const fault = make('div', {}, reason !== '' && plainBox('The key was refused', reason));
  const key = input({ type: 'password', required: true });
  const send = make('button', { type: 'submit', class: 'main' }, 'Open');

  const open = async (): Promise<void> => {
    fault.replaceChildren();
    send.disabled = true;
    try {
      const given = key.value.trim();
      const refusal = await refusalOf(given);
      if (refusal) return fault.replaceChildren(refusal);
      keepKey(given);
      await enter();
    } catch (error) {
      fault.replaceChildren(problemBox(error));
    } finally {
      send.disabled = false;
    }
  };

  return card(
    'Your admin key',
    make(
      'p',
      {},
      'Keys and credits, models and releases, the queue: for the operator of this server.',
    ),
    form(open, field('Admin key', key, about), make('p', { class: 'row' }, send), fault),
    make('details', {}, make('summary', {}, 'How is an admin key made?'), ...howTo()),
  );
};

const about = 'It is kept in this tab only, and is forgotten when you close it.';

/** Why a key is not one for this tab; null for one that is. */
const refusalOf = async (key: string): Promise<HTMLElement | null> => {
  // No header can hold it, so the browser would not send it.
  if (!/^[\x21-\x7e]+$/.test(key))
    return plainBox('This is no key', 'A key has letters, digits and punctuation, without spaces.');
  try {
    const { scopes } = await ask<OwnKey>('/v1/key', { key });
    if (scopes.includes('admin')) return null;
    const has = `The key has ${scopes.length === 1 ? 'the scope' : 'the scopes'} ${scopes.join(' and ')}.`;
    return plainBox('This key is for callers', `${has} This tab needs a key with the scope admin.`);
  } catch (error) {
    if (error instanceof EnhanceError && error.status === 401)
      return plainBox('The key was refused', reasonOf(error.problem));
    throw error;
  }
};

const howTo = (): HTMLElement[] => [
  make('p', {}, 'On the machine of the server, or in its container:'),
  make(
    'pre',
    { tabindex: 0, 'aria-label': 'Command' },
    'enhance keys create --account operators --scopes admin',
  ),
  make(
    'p',
    {},
    'The value of the variable ADMIN_KEY is one too. ',
    make('code', {}, 'npm start'),
    ' makes it at the first start and keeps it in the file secrets.env of its data folder.',
  ),
];
