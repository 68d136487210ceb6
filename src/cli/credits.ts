import type { Balance } from '../contract/credits.ts';
import { type Audit, audit } from '../jobs/record/audit.ts';
import { isUnreachable } from '../redis/errors.ts';
import type { Redises } from '../redis/script.ts';
import { counted } from '../text/counted.ts';
import { printBalance } from './balance.ts';
import { asOperator, demandAccount } from './operator.ts';

/** `enhance credits grant`; says where the account is a new one, as a mistyped one is. */
export const grant = (
  account: string,
  credits: number,
  { note }: { readonly note?: string },
): Promise<void> =>
  asOperator(async ({ ledger }) => {
    const isNew = !(await ledger.isKnown(account));
    tell(account, await ledger.grant(account, credits, note));
    if (isNew) console.error('It is a new account: it had no key and no credits before.');
  });

/** `enhance credits withdraw` */
export const withdraw = (
  account: string,
  credits: number,
  { note }: { readonly note?: string },
): Promise<void> =>
  asOperator(async ({ ledger }) => {
    await demandAccount(account, ledger);
    tell(account, await ledger.grant(account, -credits, note));
  });

const tell = (account: string, { available }: Balance): void =>
  console.log(`The account ${account} has ${counted(available, 'credit')} available.`);

/** `enhance credits balance` */
export const balance = (account: string, options: { readonly json?: boolean }): Promise<void> =>
  asOperator(async ({ ledger }) => {
    await demandAccount(account, ledger);
    printBalance(await ledger.balance(account), options);
  });

/** `enhance credits ledger` */
export const showLedger = (
  account: string,
  { limit, json }: { readonly limit: number; readonly json?: boolean },
): Promise<void> =>
  asOperator(async ({ ledger }) => {
    await demandAccount(account, ledger);
    const { data } = await ledger.entries(account, { limit });
    if (json) return console.log(JSON.stringify(data));
    if (data.length === 0) console.error(`The ledger of ${account} has no entries.`);
    for (const {
      created_at,
      type,
      balance_change,
      held_change,
      balance,
      held,
      job,
      note,
    } of data) {
      const changes = `${signed(balance_change)} balance, ${signed(held_change)} held`;
      const about = job ?? note ?? '';
      console.log(
        `${created_at}  ${type.padEnd(7)}  ${changes}  = ${balance}, ${held} held  ${about}`.trimEnd(),
      );
    }
  });

const signed = (count: number): string => (count > 0 ? `+${count}` : `${count}`);

/** `enhance credits verify`: compares each balance with the sum of its ledger; exit code 1 when one differs. */
export const verify = (account?: string): Promise<void> =>
  asOperator(async ({ stores, ledger }) => {
    if (account) await demandAccount(account, ledger);
    const accounts = account ? [account] : await ledger.accounts();
    for (const name of accounts) {
      const { clean, differences } = await audited(stores, name);
      console.log(
        clean ? `${name}: balance and ledger agree` : `${name}:\n  ${differences.join('\n  ')}`,
      );
      if (!clean) process.exitCode = 1;
    }
    console.log(`${counted(accounts.length, 'account')} verified.`);
  });

/** Records that cannot be read count as a difference, so that the other accounts are still verified. */
const audited = async (stores: Redises, name: string): Promise<Omit<Audit, 'account'>> => {
  try {
    return await audit(stores, name);
  } catch (error) {
    if (isUnreachable(error)) throw error;
    return { clean: false, differences: [`its records cannot be read: ${error}`] };
  }
};
