/** The keys of all accounts: list, make, rotate, revoke. */
import type { IssuedKey, Key, KeyList } from '../../src/contract/keys.ts';
import { button, make } from '../dom.ts';
import { timeText } from '../words.ts';
import { ask } from './ask.ts';
import { confirmed } from './confirm.ts';
import { field, form, input } from './inputs.ts';
import { issuedKey } from './issued-key.ts';
import { newKeyForm } from './new-key.ts';
import { bdi, card, createSaid, list, row, type Section } from './section.ts';

/** So many are shown at once. */
const PAGE = 50;

export const keysSection = (): Section => {
  const said = createSaid();
  const place = make('div');
  const account = input({ type: 'search', maxlength: 64, placeholder: 'all accounts' });
  let most = PAGE;

  const load = () =>
    said.trying(async () => {
      const query = account.value.trim() && `?account=${encodeURIComponent(account.value.trim())}`;
      const { data, faulty } = await ask<KeyList>(`/v1/admin/keys${query}`);
      const more = button('Show more', () => {
        most += PAGE;
        void load();
      });
      place.replaceChildren(
        ...faulty.map(({ id, fields }) =>
          make(
            'div',
            { class: 'notice bad' },
            make('p', {}, `The record of ${id} is faulty in ${fields.join(', ')}.`),
            revokeButton(id, id),
          ),
        ),
        list(data.slice(0, most).map(keyRow), 'There is no key.'),
        ...(data.length > most ? [more] : []),
      );
    });

  const show = async (issued: IssuedKey, text: string): Promise<void> => {
    await load();
    said.good(text, issuedKey(issued));
  };

  const keyRow = (key: Key): HTMLElement => {
    const { id, name, prefix, scopes, created_at, last_used_at } = key;
    const [state, isOver] = stateOf(key);
    return row(
      [
        make('strong', {}, bdi(name ?? 'without a name')),
        ' · ',
        bdi(key.account),
        tagOf(state, isOver),
      ],
      [
        ...[`${prefix}…`, scopes.join(', '), id, `made ${timeText(created_at)}`],
        last_used_at === null ? 'never used' : `last used ${timeText(last_used_at)}`,
        !isOver && key.expires_at !== null && state,
      ],
      isOver ? [] : [rotateButton(key), revokeButton(id, name ?? id)],
    );
  };

  const rotateButton = ({ id, name, account }: Key): HTMLElement =>
    button(
      'Rotate',
      async () => {
        const text = `The account ${account} gets a new key with the same scopes. The old one works for 24 hours more.`;
        if (!(await confirmed({ title: `Rotate ${name ?? id}?`, text, verb: 'Rotate' }))) return;
        await said.trying(async () => {
          const issued = await ask<IssuedKey>(`/v1/admin/keys/${id}/rotate`, { method: 'POST' });
          await show(issued, `This key replaces ${name ?? id}.`);
        });
      },
      { 'aria-label': `Rotate ${id}` },
    );

  const revokeButton = (id: string, name: string): HTMLElement =>
    button(
      'Revoke',
      async () => {
        const text = 'It ends at once and for good: whoever uses it is refused from then on.';
        if (!(await confirmed({ title: `Revoke ${name}?`, text, verb: 'Revoke' }))) return;
        await said.trying(async () => {
          await ask(`/v1/admin/keys/${id}/revoke`, { method: 'POST' });
          await load();
          said.good(`${name} is revoked.`);
        });
      },
      { 'aria-label': `Revoke ${id}` },
    );

  const filter = form(
    () => load(),
    field('Account', account),
    make('p', { class: 'row' }, make('button', { type: 'submit' }, 'Show its keys')),
  );
  const element = make(
    'div',
    {},
    card('Keys', said.element, newKeyForm(said, show), filter, place),
  );
  return { title: 'Keys', element, load };
};

/** What to tell of its end, and whether that is over. */
const stateOf = ({ expires_at, revoked_at }: Key): [string, boolean] => {
  if (revoked_at !== null) return [`revoked ${timeText(revoked_at)}`, true];
  if (expires_at === null) return ['', false];
  return Date.parse(expires_at) <= Date.now()
    ? [`expired ${timeText(expires_at)}`, true]
    : [`expires ${timeText(expires_at)}`, false];
};

const tagOf = (state: string, isOver: boolean): HTMLElement | null =>
  isOver ? make('span', { class: 'tag' }, ` · ${state}`) : null;
