/** What waits and what is disabled, of all accounts: for the figures that operators watch. */
import { z } from 'zod';
import { type Redises, script } from '../redis/script.ts';
import { Reason } from './endpoint.ts';
import { timeOrNull } from './stored.ts';

const findOldest = script(
  new URL('scripts/oldest.lua', import.meta.url),
  z.tuple([timeOrNull, timeOrNull]),
);

/** Entries that one look goes through at most: a fraction of a millisecond of Redis. */
const AT_MOST = 100;

export const openBacklog = (stores: Redises) => ({
  /** Since when the oldest waits (ms): for a worker to take it, and for its receiver to take it; null for none. */
  oldestAtMs: async () => {
    const [worker, receiver] = await findOldest(stores, AT_MOST);
    return { worker, receiver };
  },

  /** How many endpoints are disabled, by why. */
  disabled: async (): Promise<Readonly<Record<string, number>>> => {
    const { redis, prefix } = stores;
    const counts = Reason.options.map(
      async (reason) =>
        [reason, await redis.scard(`${prefix}:webhooks-disabled:${reason}`)] as const,
    );
    return Object.fromEntries(await Promise.all(counts));
  },
});
