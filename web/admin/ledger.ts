/** Every change of the credits of an account, newest first. */
import type { LedgerEntry, LedgerPage } from '../../src/contract/credits.ts';
import { button, make } from '../dom.ts';
import { creditsText, timeText } from '../words.ts';
import { ask } from './ask.ts';
import { bdi, card, createSaid, row } from './section.ts';

/** Shows the ledger in `place`. */
export const openLedger = async (account: string, place: HTMLElement): Promise<void> => {
  const said = createSaid();
  const entries = make('ul', { class: 'jobs' });
  const more = button('Show more', () => load());
  let last: string | undefined;

  const load = async (): Promise<void> => {
    more.disabled = true; // a second click would show the same entries twice
    await said.trying(async () => {
      const after = last === undefined ? '' : `&starting_after=${last}`;
      const { data, has_more } = await ask<LedgerPage>(
        `/v1/admin/accounts/${account}/ledger?limit=20${after}`,
      );
      last = data.at(-1)?.id;
      entries.append(...data.map(entryRow));
      more.hidden = !has_more;
      if (entries.children.length === 0)
        entries.replaceWith(make('p', { class: 'hint' }, 'Nothing has changed the credits yet.'));
    });
    more.disabled = false;
  };

  const shown = card(`Ledger of ${account}`, said.element, entries, more);
  more.hidden = true;
  place.replaceChildren(shown);
  await load();
  shown.querySelector('h2')?.focus();
};

const entryRow = ({ type, created_at, job, note, ...entry }: LedgerEntry): HTMLElement =>
  row(
    [
      make('strong', {}, type),
      ' · ',
      changesText(entry),
      (job ?? note) && ' · ',
      bdi(job ?? note ?? ''),
    ],
    [
      timeText(created_at),
      `${creditsText(entry.balance)} after it, ${entry.held.toLocaleString('en')} held`,
    ],
  );

const changesText = ({
  balance_change: balance,
  held_change: held,
}: Pick<LedgerEntry, 'balance_change' | 'held_change'>): string =>
  [balance !== 0 && `${signed(balance)} credits`, held !== 0 && `${signed(held)} held`]
    .filter(Boolean)
    .join(', ') || 'no change';

const signed = (count: number): string => `${count > 0 ? '+' : ''}${count.toLocaleString('en')}`;
