/** A key that was just issued: the only time that it can be seen. */
import type { IssuedKey } from '../../src/contract/keys.ts';
import { announce, button, make } from '../dom.ts';
import { NO_CLIPBOARD } from '../words.ts';

export const issuedKey = ({ key, account }: IssuedKey): HTMLElement => {
  const copy = button('Copy the key', async () => {
    await navigator.clipboard.writeText(key);
    copy.textContent = 'Copied';
    announce('Key copied.');
  });
  return make(
    'div',
    {},
    make('code', { class: 'secret' }, key),
    make('p', {}, `It belongs to the account ${account} and is shown only once: save it now.`),
    navigator.clipboard
      ? make('p', { class: 'row' }, copy)
      : make('p', { class: 'hint' }, NO_CLIPBOARD),
  );
};
