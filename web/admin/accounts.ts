/** The credits of all accounts: balances, grants, ledgers. */
import type { AccountPage, Balance } from '../../src/contract/credits.ts';
import { button, make } from '../dom.ts';
import { creditsText } from '../words.ts';
import { ask } from './ask.ts';
import { grantForm } from './grant.ts';
import { field, form, input } from './inputs.ts';
import { openLedger } from './ledger.ts';
import { bdi, card, createSaid, list, row, type Section } from './section.ts';

export const accountsSection = (): Section => {
  const said = createSaid();
  const [place, ledger] = [make('div'), make('div')];
  const wanted = input({ type: 'search', maxlength: 64, placeholder: 'all accounts' });
  const granting = grantForm(said, async (balance) => {
    await load();
    said.good(`${balance.account} has ${creditsText(balance.balance)} now.`);
  });

  type Page = Pick<AccountPage, 'data' | 'has_more'>;
  const pageAfter = (after: string): Promise<Page> =>
    ask(`/v1/admin/accounts?limit=50${after && `&starting_after=${after}`}`);
  const pageOf = async (account: string): Promise<Page> => ({
    data: [await ask<Balance>(`/v1/admin/accounts/${encodeURIComponent(account)}`)],
    has_more: false,
  });

  const load = () =>
    said.trying(async () => {
      const account = wanted.value.trim();
      const { data, has_more } = await (account ? pageOf(account) : pageAfter(''));
      place.replaceChildren(
        list(data.map(accountRow), 'There is no account.'),
        ...more(data, has_more),
      );
    });

  const more = (page: readonly Balance[], hasMore: boolean): HTMLElement[] => {
    const last = page.at(-1);
    if (!hasMore || !last) return [];
    const press = button('Show more', () =>
      said.trying(async () => {
        const { data, has_more } = await pageAfter(last.account);
        press.replaceWith(list(data.map(accountRow), ''), ...more(data, has_more));
      }),
    );
    return [press];
  };

  const accountRow = ({ account, available, held, month }: Balance): HTMLElement =>
    row(
      [make('strong', {}, bdi(account))],
      [
        `${creditsText(available)} available`,
        `${creditsText(held)} held`,
        `${creditsText(month.used)} used in ${month.month}`,
        month.discount_percent > 0 && `${month.discount_percent} % discount`,
      ],
      [
        button('Grant', () => granting.fill(account), {
          'aria-label': `Grant credits to ${account}`,
        }),
        button('Ledger', () => openLedger(account, ledger), {
          'aria-label': `Ledger of ${account}`,
        }),
      ],
    );

  const filter = form(
    load,
    field('Account to show', wanted),
    make('p', { class: 'row' }, make('button', { type: 'submit' }, 'Show its credits')),
  );
  const element = make(
    'div',
    {},
    card('Credits', said.element, granting.element, filter, place),
    ledger,
  );
  return { title: 'Credits', element, load };
};
