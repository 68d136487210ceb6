import { type Keys, openKeys } from '../accounts/keys.ts';
import { type Ledger, openLedger } from '../accounts/ledger.ts';
import { type Config, loadConfig } from '../config.ts';
import { EnvironmentError } from '../environment/environment-error.ts';
import { createLog } from '../log.ts';
import { operations } from '../operations/all.ts';
import { checkDatabase, openRedis } from '../redis/connection.ts';
import { isTimeout, isUnreachable, refusedWrite } from '../redis/errors.ts';
import type { Redises } from '../redis/script.ts';
import { stackEnvironment } from './home.ts';
import { Refused } from './refused.ts';

/** What the operator's commands work on. */
type Operator = {
  readonly config: Config;
  readonly stores: Redises;
  readonly keys: Keys;
  readonly ledger: Ledger;
};

/** Runs `work` on the keys and the ledger in Redis. These commands do not use the API and work while it is down. */
export const asOperator = async (work: (operator: Operator) => Promise<void>): Promise<void> => {
  const config = configOf(stackEnvironment());
  const redis = openRedis(config.redis.url, createLog('silent', 'cli'), 'operator');
  const stores = { redis, prefix: config.redis.prefix };
  try {
    await checkDatabase(redis);
    await work({
      config,
      stores,
      keys: openKeys(stores, config.secrets.pepper),
      ledger: openLedger(stores, config.prices),
    });
  } catch (error) {
    const refusal = refusalOf(error, new URL(config.redis.url).host);
    if (refusal) throw new Refused(refusal);
    throw error;
  } finally {
    redis.disconnect();
  }
};

/** What the operator is told of an error of Redis; undefined for any other error. */
export const refusalOf = (error: unknown, host: string): string | undefined => {
  const why = refusedWrite(error);
  if (why !== undefined) return `Redis at ${host} ${why}, and refuses writes.`;
  if (isTimeout(error))
    return `Redis at ${host} did not answer within 30 s: its machine is too busy, or it hangs. What was asked for may have been done: look before you repeat it.`;
  if (isUnreachable(error)) return `Redis does not answer at ${host}. Is the stack running?`;
  // Such as WRONGPASS, and READONLY of a replica.
  if (error instanceof Error && error.name === 'ReplyError')
    return `Redis at ${host} refuses: ${error.message}`;
  return undefined;
};

/** Throws Refused for an account that has never had a key or credits, such as a mistyped one. */
export const demandAccount = async (account: string, ledger: Ledger): Promise<void> => {
  if (!(await ledger.isKnown(account))) throw new Refused(`There is no account ${account}.`);
};

/** Throws Refused for variables that cannot be used. */
const configOf = (env: NodeJS.ProcessEnv): Config => {
  try {
    return loadConfig(env, operations);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    throw new Refused(
      `${error.message}\nRun \`npm start\` once, which creates the secrets, or set them.`,
    );
  }
};
