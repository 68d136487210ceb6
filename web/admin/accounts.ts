/** The credits of all accounts: balances, grants, ledgers. */
import type { AccountPage, Balance } from '../../src/contract/credits.ts';
import { button, make } from '../dom.ts';
import { creditsText } from '../words.ts';
import { ask } from './ask.ts';
import { grantForm } from './grant.ts';
import { openLedger } from './ledger.ts';
import { bdi, card, createSaid, list, row, type Section } from './section.ts';

export const accountsSection = (): Section => {
  const said = createSaid();
  const [place, ledger] = [make('div'), make('div')];
  const granting = grantForm(said, async (balance) => {
    await load();
    said.good(`${balance.account} has ${creditsText(balance.balance)} now.`);
  });

  const pageAfter = (after: string): Promise<AccountPage> =>
    ask(`/v1/admin/accounts?limit=50${after && `&starting_after=${after}`}`);

  const load = () =>
    said.trying(async () => {
      const { data, has_more } = await pageAfter('');
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

  const element = make('div', {}, card('Credits', said.element, granting.element, place), ledger);
  return { title: 'Credits', element, load };
};
