import { createHash, timingSafeEqual } from 'node:crypto';
import type { Scope } from '../contract/keys.ts';
import { Failure } from '../errors.ts';
import type { Caller, Parts } from './parts.ts';
import type { Context } from './route.ts';

/** Who asks, by `Authorization: Bearer`: a key of an account, or the operator's own key. */
export const authenticate = async (ctx: Context, parts: Parts): Promise<Caller> => {
  const token = /^Bearer +(\S+)\s*$/i.exec(ctx.get('authorization'))?.[1];
  if (!token) throw new Failure('missing_api_key');
  const { adminKey } = parts.config.secrets;
  if (adminKey !== undefined && isSame(token, adminKey)) return operator;
  return parts.keys.lookup(token);
};

export const demandScope = ({ scopes }: Caller, needed: Scope): void => {
  if (!scopes.includes(needed)) throw new Failure('insufficient_scope', { needed });
};

/** ADMIN_KEY belongs to no account: it issues keys, and makes no jobs. */
const operator: Caller = { account: '', keyId: 'operator', scopes: ['admin'] };

const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
