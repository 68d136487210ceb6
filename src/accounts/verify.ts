import { z } from 'zod';
import type { LedgerEntry } from '../contract/credits.ts';
import { type Redises, script } from '../redis/script.ts';
import { entryOf, paired } from './ledger.ts';

const Hold = z.object({ credits: z.number(), list: z.number(), month: z.string() });
const takeSnapshot = script(
  new URL('scripts/snapshot.lua', import.meta.url),
  z.tuple([z.number(), z.number(), z.string(), z.array(z.string()), z.array(z.string())]),
);

/**
 * Adds up the ledger from its first entry and compares the sums with a snapshot of the account's record. Entries after
 * the snapshot do not count. Changes nothing. Returns a sentence for each difference.
 */
export const verify = async (stores: Redises, account: string): Promise<string[]> => {
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
  return differences;
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
      const entry = entryOrNull(raw);
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
          `entry ${entry.id} has balance ${entry.balance} and held ${entry.held}; the entries up to it add up to ${sums.balance} and ${sums.held}`,
        );
      }
    }
    const end = page.at(-1)?.[0];
    if (end === undefined || page.length < PAGE) break;
    from = `(${end}`;
  }
  return sums;
};

const entryOrNull = (raw: [id: string, fields: string[]]): LedgerEntry | null => {
  try {
    return entryOf(raw);
  } catch {
    // It is reported by its id, and the sums go on with the other entries.
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

const compare = (what: string, ledger: number, record: number): string[] =>
  ledger === record ? [] : [`${what}: the ledger adds up to ${ledger}, the account has ${record}`];

const compareAll = (
  what: string,
  ledger: ReadonlyMap<string, number>,
  record: ReadonlyMap<string, number>,
): string[] =>
  [...new Set([...ledger.keys(), ...record.keys()])].flatMap((name) =>
    compare(`${what} ${name}`, ledger.get(name) ?? 0, record.get(name) ?? 0),
  );
