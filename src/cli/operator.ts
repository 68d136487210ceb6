import { type Keys, openKeys } from '../accounts/keys.ts';
import { type Ledger, openLedger } from '../accounts/ledger.ts';
import { loadConfig } from '../config.ts';
import { createLog } from '../log.ts';
import { isUnreachable, openRedis, type Redises } from '../redis.ts';
import { Refused } from './client.ts';
import { stackEnvironment } from './home.ts';

export type Operator = { readonly stores: Redises; readonly keys: Keys; readonly ledger: Ledger };

/** Runs `work` with the ledger and the keys, straight on Redis: these commands work while the API is down. */
export const asOperator = async (work: (operator: Operator) => Promise<void>): Promise<void> => {
  const config = loadConfig(stackEnvironment());
  const redis = openRedis(config.redis.url, createLog('silent', 'cli'), 'caller');
  const stores = { redis, prefix: config.redis.prefix };
  try {
    await work({
      stores,
      keys: openKeys(stores, config.secrets.pepper),
      ledger: openLedger(stores, config.prices),
    });
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    throw new Refused(
      `Redis does not answer at ${new URL(config.redis.url).host}; is the stack running?`,
    );
  } finally {
    redis.disconnect();
  }
};
