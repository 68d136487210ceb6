/** The month's graduated discount: what an account pays for a list price, explained by lines that add up. Pure. */
import type { Config } from '../config.ts';
import type { PriceLine } from '../contract/credits.ts';
import { counted } from '../text/counted.ts';
import type { ListPrice } from './list-price.ts';

export type Discounts = Pick<Config['prices'], 'tiers'>;

export type Quote = {
  readonly credits: number;
  /** Before discount; what counts towards the month's tiers. */
  readonly list: number;
  readonly lines: readonly PriceLine[];
  /** The quote holds as long as the month's usage lies within these bounds, both included. */
  readonly validFor: { readonly from: number; readonly to: number };
};

/** A row of the discount table in its place: list-price credits from..to (exclusive; null: no end). */
type Tier = { readonly from: number; readonly to: number | null; readonly percent: number };

const MICRO = 1_000_000;

/** The price for an account that has used `used` list-price credits this month. */
export const quote = (
  { credits: list, text }: ListPrice,
  used: number,
  prices: Discounts,
): Quote => {
  const parts = split(used, list, tiersOf(prices));
  const discounts = parts.filter(({ tier }) => tier.percent > 0);
  const total = discounts.reduce((sum, part) => sum - discountOf(part), list * MICRO);
  const credits = Math.max(1, Math.ceil(total / MICRO));
  return {
    credits,
    list,
    lines: [
      { kind: 'base', text, credits: list },
      ...discounts.map((part) => ({
        kind: 'discount' as const,
        text: `${part.tier.percent} % off ${counted(part.credits, 'credit')} beyond the month's first ${part.tier.from}`,
        credits: -discountOf(part) / MICRO,
      })),
      ...roundingLine(credits * MICRO - total),
    ],
    validFor: validity(used, list, parts),
  };
};

/** Where a month's usage stands in the table. */
export const tierAt = (used: number, discounts: Discounts): Tier => {
  const tier = tiersOf(discounts).find(({ to }) => to === null || used < to);
  if (tier === undefined) throw new Error('The discount table has no rows');
  return tier;
};

/** The UTC month that usage counts in, as "2026-01". */
export const monthOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 7);

const roundingLine = (micros: number): PriceLine[] =>
  micros > 0
    ? [{ kind: 'rounding', text: 'rounded up to a whole credit', credits: micros / MICRO }]
    : [];

const tiersOf = ({ tiers }: Discounts): Tier[] => {
  let from = 0;
  return tiers.map(({ credits, percent }, index) => {
    const last = credits === null || index === tiers.length - 1;
    const tier = { from, to: last ? null : from + credits, percent };
    from += credits ?? 0;
    return tier;
  });
};

type Share = { readonly tier: Tier; readonly credits: number };

const split = (used: number, list: number, tiers: readonly Tier[]): Share[] =>
  tiers
    .map((tier) => {
      const to = tier.to ?? Number.POSITIVE_INFINITY;
      return { tier, credits: Math.min(used + list, to) - Math.max(used, tier.from) };
    })
    .filter(({ credits }) => credits > 0);

/** In whole micro-credits; of a percentage, four decimals count. */
const discountOf = ({ tier, credits }: Share): number =>
  credits * Math.round(tier.percent * 10_000);

/** A job within one tier costs the same anywhere in it; one that spans tiers only from where it starts. */
const validity = (used: number, list: number, shares: readonly Share[]): Quote['validFor'] => {
  const [only, second] = shares;
  if (only === undefined || second !== undefined) return { from: used, to: used };
  const to = only.tier.to === null ? Number.MAX_SAFE_INTEGER : only.tier.to - list;
  return { from: only.tier.from, to };
};
