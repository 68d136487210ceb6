import { z } from 'zod';
import { type IssuedKey, type Key, Scope } from '../contract/keys.ts';
import { counted } from '../text/counted.ts';
import { asOperator, demandAccount } from './operator.ts';
import { Refused } from './refused.ts';

type Json = { readonly json?: boolean };
type Creation = Json & {
  readonly account: string;
  readonly credits?: number;
  readonly scopes?: string;
  readonly expiresIn?: number;
  readonly name?: string;
};

/** `enhance keys create` */
export const createKey = (options: Creation): Promise<void> =>
  asOperator(async ({ keys, ledger }) => {
    const { account, credits, expiresIn, name } = options;
    const issued = await keys.create({
      account,
      ...(name !== undefined && { name }),
      ...(options.scopes && { scopes: scopesOf(options.scopes) }),
      ...(expiresIn !== undefined && { expiresInSeconds: expiresIn }),
      grant: credits === undefined ? undefined : { credits, note: 'with the key' },
    });
    const { available } = await ledger.balance(account);
    show({ ...issued, credits: available }, options);
  });

/** `enhance keys list`; exit code 1 when a key has a faulty record. */
export const listKeys = ({ account, json }: Json & { readonly account?: string }): Promise<void> =>
  asOperator(async ({ keys, ledger }) => {
    if (account) await demandAccount(account, ledger);
    const [all, faulty] = [await keys.list(account), await keys.faulty(account)];
    for (const { id, fields } of faulty) {
      console.error(
        `The record of ${id} is faulty in ${fields.join(', ')}. Revoke the key with: enhance keys revoke ${id}`,
      );
      process.exitCode = 1;
    }
    if (json) return console.log(JSON.stringify(all));
    if (all.length + faulty.length === 0)
      console.error(account ? `The account ${account} has no keys.` : 'There are no keys.');
    for (const key of all) {
      const { id, account, scopes, name } = key;
      console.log(
        `${id}  ${account}  ${scopes.join(',')}  ${stateOf(key)}  ${name ?? ''}`.trimEnd(),
      );
    }
  });

/** `enhance keys rotate` */
export const rotateKey = (
  id: string,
  options: Json & { readonly overlap: number },
): Promise<void> =>
  asOperator(async ({ keys }) => show(await keys.rotate(id, options.overlap), options));

/** `enhance keys revoke` */
export const revokeKey = (id: string): Promise<void> =>
  asOperator(async ({ keys }) => {
    await keys.revoke(id);
    console.log(`The key ${id} is revoked.`);
  });

const stateOf = ({ expires_at, revoked_at }: Key): string => {
  if (revoked_at) return `revoked ${revoked_at}`;
  if (!expires_at) return 'active';
  return `${Date.parse(expires_at) <= Date.now() ? 'expired' : 'expires'} ${expires_at}`;
};

const scopesOf = (text: string) => {
  const parsed = z.array(Scope).safeParse(text.split(','));
  if (!parsed.success)
    throw new Refused(
      `--scopes: Expected a comma-separated list of ${Scope.options.join(', ')}; got "${text}".`,
    );
  return parsed.data;
};

/** `credits`: what the account has; undefined where that was not asked. */
type Shown = IssuedKey & { readonly credits?: number };

const show = (issued: Shown, { json }: Json): void =>
  console.log(json ? JSON.stringify(issued) : shown(issued));

const shown = ({ key, id, account, scopes, credits }: Shown): string => {
  const has = credits === undefined ? '' : `, which has ${counted(credits, 'credit')}`;
  const told = `Key ${id} of the account ${account}${has}. The key is shown only once, so keep it.`;
  const isPoor = credits === 0 && scopes.includes('create');
  const advice = `\nJobs need credits: enhance credits grant ${account} 1000`;
  return `${key}\n\n${told}${isPoor ? advice : ''}`;
};
