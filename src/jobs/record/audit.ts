import { z } from 'zod';
import { verify } from '../../accounts/verify.ts';
import { type Redises, script } from '../../redis.ts';

export type Audit = {
  readonly account: string;
  readonly clean: boolean;
  /** In words; empty when clean. */
  readonly differences: readonly string[];
};

const Row = z.tuple([z.string(), z.string(), z.string(), z.string()]);
const readHolds = script(new URL('../scripts/audit.lua', import.meta.url), z.array(Row));

/** Checks an account's books against its ledger, and its open holds against its unfinished jobs. */
export const audit = async (stores: Redises, account: string): Promise<Audit> => {
  const { differences } = await verify(stores, account);
  const all = [...differences, ...(await readHolds(stores, account)).flatMap(compare)];
  return { account, clean: all.length === 0, differences: all };
};

const compare = ([id, status, byRecord, byHold]: z.infer<typeof Row>): string[] => {
  if (status === '') return [`${byHold} credits are held for ${id}, which is not a job`];
  if (status !== 'queued' && status !== 'processing') {
    return [`${byHold || 0} credits are held for ${id}, which is ${status}`];
  }
  if (byRecord === byHold) return [];
  return [`${id} is ${status} at ${byRecord} credits; ${byHold || 0} are held for it`];
};
