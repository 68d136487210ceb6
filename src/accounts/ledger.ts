import { type Balance, LedgerEntry, ledgerCursor } from '../contract/credits.ts';
import { unknownCursor } from '../errors.ts';
import { type Redises, script } from '../redis/script.ts';
import { Granted, granted } from './grant.ts';
import { type Discounts, monthOf, tierAt } from './tiers.ts';

type EntryPage = { readonly data: LedgerEntry[]; readonly has_more: boolean };
export type Ledger = ReturnType<typeof openLedger>;

/** Counters that only grow, of all accounts together. */
export type Totals = {
  /** Credits by what happened to them. */
  readonly credits: Readonly<
    Record<'granted' | 'withdrawn' | 'held' | 'captured' | 'released', number>
  >;
  /** Jobs by their last status. */
  readonly jobs: Readonly<Record<'succeeded' | 'failed' | 'canceled', number>>;
  readonly workersLost: number;
};

const grantCredits = script(new URL('scripts/grant.lua', import.meta.url), Granted);

/**
 * The credits of accounts. Every change of a balance is one Lua script that also appends to the account's ledger; the
 * changes of a job are part of the scripts that create and end it, in `jobs/`.
 */
export const openLedger = (stores: Redises, discounts: Discounts) => {
  const { redis, prefix } = stores;

  const usage = async (account: string, month = monthOf(Date.now())): Promise<number> =>
    Number((await redis.hget(`${prefix}:usage:${account}`, month)) ?? 0);

  const balance = async (account: string): Promise<Balance> => {
    const month = monthOf(Date.now());
    const [of, used] = await Promise.all([
      redis.hgetall(`${prefix}:account:${account}`),
      usage(account, month),
    ]);
    const [all, held] = [Number(of.balance ?? 0), Number(of.held ?? 0)];
    const { percent, to } = tierAt(used, discounts);
    return {
      account,
      balance: all,
      held,
      available: all - held,
      month: { month, used, discount_percent: percent, next_discount_at: to },
    };
  };

  /** Adds credits, or withdraws negative ones, once for each `token`; creates the account if it is new. Failure validation_failed. */
  const grant = async (
    account: string,
    credits: number,
    note?: string,
    token?: string,
  ): Promise<Balance> => {
    await granted({ credits, note, token }, (...args) => grantCredits(stores, account, ...args));
    return balance(account);
  };

  const hasEntry = async (account: string, id: string): Promise<boolean> =>
    ledgerCursor.test(id) && (await redis.xrange(key(account), id, id)).length > 0;

  /** Newest first. Failure validation_failed when `starting_after` is no entry of the account's ledger. */
  const entries = async (
    account: string,
    page: { limit: number; starting_after?: string | undefined },
  ): Promise<EntryPage> => {
    const after = page.starting_after;
    if (after !== undefined && !(await hasEntry(account, after))) {
      throw unknownCursor('an entry of the ledger');
    }
    const from = after === undefined ? '+' : `(${after}`;
    const found = await redis.xrevrange(key(account), from, '-', 'COUNT', page.limit + 1);
    return {
      data: found.slice(0, page.limit).map(entryOf),
      has_more: found.length > page.limit,
    };
  };

  /** Whether the account has ever had a key or credits. */
  const isKnown = async (account: string): Promise<boolean> =>
    (await redis.sismember(`${prefix}:accounts`, account)) === 1;

  const accounts = async (): Promise<string[]> =>
    (await redis.smembers(`${prefix}:accounts`)).sort();

  const totals = async (): Promise<Totals> => {
    const of = await redis.hgetall(`${prefix}:totals`);
    const total = (name: string) => Number(of[name] ?? 0);
    return {
      credits: {
        granted: total('granted'),
        withdrawn: total('withdrawn'),
        held: total('held'),
        captured: total('captured'),
        released: total('released'),
      },
      jobs: {
        succeeded: total('succeeded'),
        failed: total('failed'),
        canceled: total('canceled'),
      },
      workersLost: total('workers_lost'),
    };
  };

  /** Credits that all accounts hold now, read in parts of 1000 accounts. */
  const heldNow = async (): Promise<number> => {
    const all = await redis.smembers(`${prefix}:accounts`);
    let held = 0;
    for (let from = 0; from < all.length; from += 1000) {
      const some = all.slice(from, from + 1000);
      const found = await Promise.all(
        some.map((account) => redis.hget(`${prefix}:account:${account}`, 'held')),
      );
      held += found.reduce((sum, text) => sum + Number(text ?? 0), 0);
    }
    return held;
  };

  const key = (account: string) => `${prefix}:ledger:${account}`;

  return { usage, balance, grant, entries, isKnown, accounts, totals, heldNow };
};

/** A ledger entry from its Redis stream entry, whose id begins with its time in ms. */
export const entryOf = ([id, fields]: [id: string, fields: string[]]): LedgerEntry => {
  const of = paired(fields);
  const timeMs = Number(id.split('-')[0]);
  return LedgerEntry.parse({
    id,
    object: 'ledger_entry',
    type: of.type,
    created_at: new Date(timeMs).toISOString(),
    job: of.job || null,
    balance_change: Number(of.balance_change),
    held_change: Number(of.held_change),
    usage_change: Number(of.usage_change),
    month: of.month || monthOf(timeMs),
    balance: Number(of.balance),
    held: Number(of.held),
    lines: JSON.parse(of.lines ?? '[]'),
    note: of.note || null,
  });
};

/** An object from Redis' flat list of field, value, field, value. */
export const paired = (flat: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : [])),
  );
