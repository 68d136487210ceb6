import { z } from 'zod';
import { verify } from '../../accounts/verify.ts';
import { type Redises, script } from '../../redis/script.ts';
import { counted } from '../../text/counted.ts';

export type Audit = {
  readonly account: string;
  readonly clean: boolean;
  /** One sentence each; empty when clean. */
  readonly differences: readonly string[];
};

const Row = z.tuple([z.string(), z.string(), z.string(), z.string()]);
const readHolds = script(new URL('../scripts/audit.lua', import.meta.url), z.array(Row));

/** Compares an account's record with its ledger, and its open holds with its unfinished jobs. */
export const audit = async (stores: Redises, account: string): Promise<Audit> => {
  const all = [
    ...(await verify(stores, account)),
    ...(await readHolds(stores, account)).flatMap(compare),
  ];
  return { account, clean: all.length === 0, differences: all };
};

const compare = ([id, status, byRecord, byHold]: z.infer<typeof Row>): string[] => {
  const held = counted(Number(byHold || 0), 'credit');
  if (status === '') return [`${held} held for ${id}, which is not a job`];
  if (status !== 'queued' && status !== 'processing')
    return [`${held} held for ${id}, which is ${status}`];
  if (byRecord === byHold) return [];
  return [
    `${id} is ${status} and should hold ${counted(Number(byRecord), 'credit')}; ${held} held for it`,
  ];
};
