import { bearerOf, isOneOf } from '../../bearer.ts';
import { Failure } from '../../errors.ts';
import type { Context } from '../context.ts';
import { type Caller, operator, type Parts } from '../parts.ts';
import type { NeededScope } from '../route.ts';
import type { BadKeys } from './bad-keys.ts';

/**
 * The caller, from `Authorization: Bearer`: a key of an account, or ADMIN_KEY. Wrong keys are counted by client address
 * only after the look-up, so a valid key is never refused because of wrong keys from the same address.
 */
export const authenticate = async (
  ctx: Context,
  parts: Pick<Parts, 'config' | 'keys'>,
  badKeys: BadKeys,
): Promise<Caller> => {
  const token = tokenOf(ctx);
  if (isOneOf(token, [parts.config.secrets.adminKey])) return operator;
  try {
    return await parts.keys.lookup(token);
  } catch (error) {
    if (error instanceof Failure && error.status === 401) badKeys.count(ctx.ip);
    throw error;
  }
};

/**
 * Metrics are for the operator (ADMIN_KEY) and for a scraper (METRICS_TOKEN). Failure missing_api_key |
 * invalid_api_key.
 */
export const demandScraper = (
  ctx: Context,
  { secrets }: Parts['config'],
  badKeys: BadKeys,
): void => {
  if (isOneOf(tokenOf(ctx), [secrets.metricsToken, secrets.adminKey])) return;
  badKeys.count(ctx.ip);
  throw new Failure('invalid_api_key');
};

export const demandScope = ({ scopes }: Caller, needed: NeededScope): void => {
  if (needed !== 'any' && !scopes.includes(needed))
    throw new Failure('insufficient_scope', { needed });
};

const tokenOf = (ctx: Context): string => {
  const header = ctx.get('authorization');
  const token = bearerOf(header);
  if (!token) throw new Failure('missing_api_key', { came: cameInstead(header) });
  return token;
};

/** The second is what a variable that is not set makes of "Bearer $ENHANCE_API_KEY". */
const cameInstead = (header: string): string => {
  if (!header) return 'none';
  return /^Bearer *$/i.test(header)
    ? 'no key after "Bearer"'
    : 'an Authorization header of another form';
};
