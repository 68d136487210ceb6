import { type Audit, audit } from '../jobs/record/audit.ts';
import { isUnreachable, type Redises } from '../redis.ts';
import { asOperator } from './operator.ts';

export const grant = (
  account: string,
  credits: number,
  { note }: { readonly note?: string },
): Promise<void> =>
  asOperator(async ({ ledger }) => {
    const { available } = await ledger.grant(account, credits, note);
    console.log(`${account} has ${available} credits available.`);
  });

export const balance = (account: string, { json }: { readonly json?: boolean }): Promise<void> =>
  asOperator(async ({ ledger }) => {
    const now = await ledger.balance(account);
    if (json) return console.log(JSON.stringify(now));
    console.log(
      `${account}: ${now.balance} credits, ${now.held} held, ${now.available} available.`,
    );
  });

/** Says of each account whether its balance is what its ledger adds up to; the exit code is 1 when one is not. */
export const verify = (account?: string): Promise<void> =>
  asOperator(async ({ stores, ledger }) => {
    const accounts = account ? [account] : await ledger.accounts();
    for (const name of accounts) {
      const { clean, differences } = await audited(stores, name);
      console.log(clean ? `${name}: clean` : `${name}:\n  ${differences.join('\n  ')}`);
      if (!clean) process.exitCode = 1;
    }
    console.log(`${accounts.length} accounts verified.`);
  });

/** Books that cannot be read are not clean, and do not hide those of the other accounts. */
const audited = async (stores: Redises, name: string): Promise<Omit<Audit, 'account'>> => {
  try {
    return await audit(stores, name);
  } catch (error) {
    if (isUnreachable(error)) throw error;
    return { clean: false, differences: [`its books cannot be read: ${error}`] };
  }
};
