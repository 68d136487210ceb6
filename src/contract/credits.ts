import { z } from 'zod';
import { exampleJobId, exampleTimes } from './examples.ts';
import { Warning } from './job.ts';
import { Account, ChangedCredits } from './keys.ts';
import { PageLimit } from './page.ts';

const Credits = z.int().min(0);

export const Balance = z
  .strictObject({
    account: Account,
    balance: Credits.describe('all credits of the account, held ones included'),
    held: Credits.describe('held for unfinished jobs'),
    available: Credits.describe('balance less held'),
    month: z
      .strictObject({
        month: z
          .string()
          .regex(/^\d{4}-\d{2}$/)
          .describe('UTC'),
        used: Credits,
        discount_percent: z.number().describe('on the next credit used'),
        next_discount_at: z
          .int()
          .nullable()
          .describe('credits used in the month, or null at the top'),
      })
      .meta({ id: 'CreditMonth' }),
  })
  .meta({ id: 'Balance' });
export type Balance = z.infer<typeof Balance>;

/** One line of a price. The lines of an estimate add up to its credits. */
export const PriceLine = z
  .strictObject({
    kind: z.enum(['base', 'discount', 'rounding']),
    text: z.string(),
    credits: z.number().describe('negative for a discount'),
  })
  .meta({ id: 'PriceLine' });
export type PriceLine = z.infer<typeof PriceLine>;

const estimate = {
  credits: Credits,
  lines: z.array(PriceLine),
  available_credits: Credits,
  model: z.string(),
  model_version: z.string(),
  release: z.string().nullable().describe('such as photo@r2; null for a model without releases'),
  input_size: z.string(),
  output_size: z.string(),
  input_frames: z.int().optional().describe('pictures in the video that came; video only'),
  input_fps: z.number().optional().describe('pictures a second in it, on average; video only'),
  duration_seconds: z.number().optional().describe('video only'),
  warnings: z.array(Warning).optional().describe('where there are any'),
  cached: z
    .literal(true)
    .optional()
    .describe('where the cache has the result: as long as it does, a job costs nothing'),
};
/** Any operation's estimate, as a client of all of them reads it. */
export const Estimate = z.strictObject(estimate);
export type Estimate = z.infer<typeof Estimate>;

/** The schema of an estimate for these models. */
export const estimateSchema = (models: readonly string[]) =>
  z.strictObject({ ...estimate, model: z.enum(models) }).meta({ id: 'Estimate' });

export const AccountPage = z
  .strictObject({ object: z.literal('list'), data: z.array(Balance), has_more: z.boolean() })
  .meta({ id: 'AccountPage' });
export type AccountPage = z.infer<typeof AccountPage>;

export const AccountQuery = z.strictObject({
  limit: PageLimit,
  starting_after: Account.optional().describe('last account of the page before'),
});

export const GrantNote = z.string().max(200);

export const GrantRequest = z
  .strictObject({
    account: Account,
    credits: ChangedCredits.describe('negative: withdraws them, at most those that are available'),
    note: GrantNote.optional(),
  })
  .meta({ id: 'GrantRequest' });

export const LedgerEntry = z
  .strictObject({
    id: z.string(),
    object: z.literal('ledger_entry'),
    type: z.enum(['grant', 'hold', 'capture', 'release']),
    created_at: z.iso.datetime(),
    job: z.string().nullable(),
    balance_change: z.int(),
    held_change: z.int(),
    usage_change: z.int().describe("what it adds to the month's tiers, in credits before discount"),
    month: z.string(),
    balance: Credits.describe('after this entry'),
    held: Credits.describe('after this entry'),
    lines: z.array(PriceLine),
    note: z.string().nullable(),
  })
  .meta({ id: 'LedgerEntry' });
export type LedgerEntry = z.infer<typeof LedgerEntry>;

export const LedgerPage = z
  .strictObject({ object: z.literal('list'), data: z.array(LedgerEntry), has_more: z.boolean() })
  .meta({ id: 'LedgerPage' });

export type LedgerPage = z.infer<typeof LedgerPage>;

/** An id of a Redis stream: a time in ms and a number. Redis refuses to look for what comes before 0-0. */
export const ledgerCursor = /^[1-9]\d{0,14}-\d{1,15}$/;

export const LedgerQuery = z.strictObject({
  limit: PageLimit,
  starting_after: z
    .string()
    .regex(ledgerCursor, 'Expected the id of a ledger entry')
    .optional()
    .describe('id of the last entry of the page before'),
});

export const balanceExample: Balance = {
  account: 'acme',
  balance: 978,
  held: 20,
  available: 958,
  month: { month: '2026-05', used: 22, discount_percent: 0, next_discount_at: 10_000 },
};

export const ledgerExample: LedgerPage = {
  object: 'list',
  data: [
    {
      id: '1780056005000-0',
      object: 'ledger_entry',
      type: 'capture',
      created_at: exampleTimes.finished,
      job: exampleJobId,
      balance_change: -4,
      held_change: -4,
      usage_change: 4,
      month: '2026-05',
      balance: 978,
      held: 20,
      lines: [{ kind: 'base', text: 'photo: 8 MP × 0.5', credits: 4 }],
      note: null,
    },
  ],
  has_more: false,
};
