import { z } from 'zod';
import type { LedgerEntry } from '../contract/credits.ts';
import { type Redises, script } from '../redis.ts';
import { entryOf, paired } from './ledger.ts';

export type Verification = {
  readonly account: string;
  /** In words; empty when the books and the ledger agree. */
  readonly differences: readonly string[];
  /** Jobs with credits set aside. */
  readonly openHolds: readonly string[];
};

const Hold = z.object({ credits: z.number(), list: z.number(), month: z.string() });
const takeSnapshot = script(
  new URL('scripts/snapshot.lua', import.meta.url),
  z.tuple([z.number(), z.number(), z.string(), z.array(z.string()), z.array(z.string())]),
);

/**
 * Adds the ledger up from its first entry and compares with what the books said at one moment;
 * entries made since do not count. Changes nothing.
 */
export const verify = async (stores: Redises, account: string): Promise<Verification> => {
  const [balance, held, last, usage, holds] = await takeSnapshot(stores, account);
  const sums = await addUp(stores, account, last);
  const open = Object.entries(paired(holds)).map(([job, text]) => ({
    job,
    ...Hold.parse(JSON.parse(text)),
  }));
  const differences = [
    ...compare('balance', sums.balance, balance),
    ...compare('held credits', sums.held, held),
    ...compareAll('usage in', sums.usage, numbers(paired(usage))),
    ...compareAll(
      'credits held for',
      sums.holds,
      new Map(open.map(({ job, credits }) => [job, credits])),
    ),
    ...sums.faults,
  ];
  if (balance - held < 0) differences.push(`available is negative: ${balance - held}`);
  return { account, differences, openHolds: open.map(({ job }) => job) };
};

const PAGE = 1000;

const addUp = async ({ redis, prefix }: Redises, account: string, last: string) => {
  const sums = {
    balance: 0,
    held: 0,
    usage: new Map<string, number>(),
    holds: new Map<string, number>(),
    faults: [] as string[],
  };
  let from = '-';
  while (last !== '') {
    const page = await redis.xrange(`${prefix}:ledger:${account}`, from, last, 'COUNT', PAGE);
    for (const raw of page) {
      const entry = readable(raw);
      if (entry === null) {
        sums.faults.push(`entry ${raw[0]} cannot be read`);
        continue;
      }
      sums.balance += entry.balance_change;
      sums.held += entry.held_change;
      add(sums.usage, entry.month, entry.usage_change);
      add(sums.holds, entry.job, entry.held_change);
      if (entry.balance !== sums.balance || entry.held !== sums.held) {
        sums.faults.push(
          `entry ${entry.id} says balance ${entry.balance}, held ${entry.held}; the entries up to it give ${sums.balance}, ${sums.held}`,
        );
      }
    }
    const end = page.at(-1)?.[0];
    if (end === undefined || page.length < PAGE) break;
    from = `(${end}`;
  }
  return sums;
};

const readable = (raw: [id: string, fields: string[]]): LedgerEntry | null => {
  try {
    return entryOf(raw);
  } catch {
    // A faulty one is told by its id, and does not hide the others.
    return null;
  }
};

const add = (to: Map<string, number>, name: string | null, amount: number): void => {
  if (name === null) return;
  const sum = (to.get(name) ?? 0) + amount;
  if (sum === 0) to.delete(name);
  else to.set(name, sum);
};

const numbers = (of: Record<string, string>): Map<string, number> =>
  new Map(Object.entries(of).map(([name, value]) => [name, Number(value)]));

const compare = (what: string, ledger: number, books: number): string[] =>
  ledger === books ? [] : [`${what}: the ledger gives ${ledger}, the account has ${books}`];

const compareAll = (
  what: string,
  ledger: ReadonlyMap<string, number>,
  books: ReadonlyMap<string, number>,
): string[] =>
  [...new Set([...ledger.keys(), ...books.keys()])].flatMap((name) =>
    compare(`${what} ${name}`, ledger.get(name) ?? 0, books.get(name) ?? 0),
  );
