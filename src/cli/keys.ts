import { z } from 'zod';
import { type IssuedKey, Scope } from '../contract/keys.ts';
import { Refused } from './client.ts';
import { asOperator } from './operator.ts';

type Json = { readonly json?: boolean };
type Creation = Json & {
  readonly account: string;
  readonly credits?: number;
  readonly scopes?: string;
  readonly expiresIn?: number;
};

/** `enhance keys create` */
export const createKey = (options: Creation): Promise<void> =>
  asOperator(async ({ keys, ledger }) => {
    const { account, credits, expiresIn } = options;
    const issued = await keys.create({
      account,
      ...(options.scopes && { scopes: scopesOf(options.scopes) }),
      ...(expiresIn !== undefined && { expiresInSeconds: expiresIn }),
    });
    if (credits) await ledger.grant(account, credits, 'with the key');
    const { available } = await ledger.balance(account);
    show({ ...issued, credits: available }, options);
  });

/** `enhance keys list`; exit code 1 when a key has a faulty record. */
export const listKeys = ({ account, json }: Json & { readonly account?: string }): Promise<void> =>
  asOperator(async ({ keys }) => {
    const [all, faulty] = [await keys.list(account), await keys.faulty(account)];
    for (const { id, fields } of faulty) {
      console.error(
        `The record of ${id} is faulty in ${fields.join(', ')}. Revoke the key with: enhance keys revoke ${id}`,
      );
      process.exitCode = 1;
    }
    if (json) return console.log(JSON.stringify(all));
    for (const { id, account, scopes, expires_at, revoked_at } of all) {
      const state = revoked_at
        ? `revoked ${revoked_at}`
        : expires_at
          ? `expires ${expires_at}`
          : 'active';
      console.log(`${id}  ${account}  ${scopes.join(',')}  ${state}`);
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

const scopesOf = (text: string) => {
  const parsed = z.array(Scope).safeParse(text.split(','));
  if (!parsed.success)
    throw new Refused(
      `--scopes: Expected a comma-separated list of ${Scope.options.join(', ')}; got "${text}".`,
    );
  return parsed.data;
};

const show = (issued: IssuedKey & { readonly credits?: number }, { json }: Json): void =>
  console.log(
    json
      ? JSON.stringify(issued)
      : `${issued.key}\n\nKey ${issued.id} of the account ${issued.account}. It is shown only once, so keep it.`,
  );
