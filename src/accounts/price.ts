/** What work costs: whole credits, explained by lines that add up. Pure. */
import type { Config } from '../config.ts';
import type { PriceLine } from '../contract/credits.ts';
import { PRICED_FPS, type Size } from '../frame.ts';

type Rates = Readonly<Record<string, number>>;
export type Prices = Pick<Config['prices'], 'tiers'> & {
  /** Credits by model: see `config.ts` for their units. */
  readonly upscale: Rates;
  readonly lipsync: Rates;
};

export type Work = UpscaleWork | LipsyncWork;
type UpscaleWork = {
  readonly model: string;
  /** Of each picture. */
  readonly outputPixels: number;
  /** Of output video; absent for an image. */
  readonly video?: Span;
};
type LipsyncWork = {
  readonly model: string;
  readonly video: Span;
};
/** How much output video there is. */
type Span = { readonly seconds: number; readonly frames: number };

export type Quote = {
  readonly credits: number;
  /** Before discount; what counts towards the month's tiers. */
  readonly list: number;
  readonly lines: readonly PriceLine[];
  /** The quote holds as long as the month's usage lies within these bounds, both included. */
  readonly validFor: { readonly from: number; readonly to: number };
};

/** A row of the discount table in its place: list-price credits from..to (exclusive; null: no end). */
export type Tier = { readonly from: number; readonly to: number | null; readonly percent: number };

const MICRO = 1_000_000;
/**
 * A frame of video costs at least what one of so many pixels does: a call of `photo` takes 5 ms for a single pixel, where
 * a megapixel takes 1 s, and decoder and encoder have their own share of each frame.
 */
const LEAST_FRAME_PIXELS = 10_000;
/** A strip of 2x2048 takes `photo` 28 ms, as much as 16x2048 would. */
const LEAST_SIDE = 16;

/** The price of `work` for an account that has used `used` list-price credits this month. */
export const quote = (work: Work, used: number, prices: Prices): Quote => {
  checkAmounts(work);
  const list = listPrice(work, prices);
  const parts = split(used, list, tiersOf(prices));
  const discounts = parts.filter(({ tier }) => tier.percent > 0);
  const total = discounts.reduce((sum, part) => sum - discountOf(part), list * MICRO);
  const credits = Math.max(1, Math.ceil(total / MICRO));
  return {
    credits,
    list,
    lines: [
      { kind: 'base', text: baseText(work, prices), credits: list },
      ...discounts.map((part) => ({
        kind: 'discount' as const,
        text: `${part.tier.percent} % off ${part.credits} credits beyond the month's first ${part.tier.from}`,
        credits: -discountOf(part) / MICRO,
      })),
      ...roundingLine(credits * MICRO - total),
    ],
    validFor: validity(used, list, parts),
  };
};

/** The pixels of an output as they are paid for: a side counts as 16 at the least. */
export const paidPixels = ({ width, height }: Size): number =>
  Math.max(width, LEAST_SIDE) * Math.max(height, LEAST_SIDE);

/** Where a month's usage stands in the table. */
export const tierAt = (used: number, prices: Prices): Tier => {
  const tier = tiersOf(prices).find(({ to }) => to === null || used < to);
  if (tier === undefined) throw new Error('The discount table has no rows');
  return tier;
};

/** The UTC month that usage counts in, as "2026-01". */
export const monthOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 7);

/** Whole numbers throughout: in floating point 0.1 × 30 is more than 3, and would be rounded up to 4. */
const listPrice = (work: Work, prices: Prices): number => {
  // Micro-credits, pixels of a megapixel, microseconds.
  const product =
    BigInt(Math.round(rateOf(work, prices) * MICRO)) *
    BigInt(isUpscale(work) ? pixelsOf(work) : MICRO) *
    BigInt(Math.round(secondsOf(work) * MICRO));
  const one = BigInt(MICRO) ** 3n;
  return Math.max(1, Number((product + one - 1n) / one));
};

/** What was measured wrongly must not become a price. */
const checkAmounts = (work: Work): void => {
  const { seconds, frames } = work.video ?? { seconds: 0, frames: 0 };
  const amounts = [seconds, frames, isUpscale(work) ? work.outputPixels : 0];
  if (!amounts.every((amount) => Number.isFinite(amount) && amount >= 0))
    throw new Error(`an amount of work is no number: ${JSON.stringify(work)}`);
};

/** Of each picture, as they are paid for. */
const pixelsOf = ({ outputPixels, video }: UpscaleWork): number =>
  video ? Math.max(outputPixels, LEAST_FRAME_PIXELS) : outputPixels;

/** One frame more than 30 a second allows may come from rounding; it is not charged. */
const ROUNDED_FRAMES = 1;

/** As they are paid for; an image is one picture, and costs what a second of it would. */
const secondsOf = ({ video }: Work): number => {
  if (!video) return 1;
  const { seconds, frames } = video;
  return frames > seconds * PRICED_FPS + ROUNDED_FRAMES ? frames / PRICED_FPS : seconds;
};

const isUpscale = (work: Work): work is UpscaleWork => 'outputPixels' in work;

const rateOf = (work: Work, prices: Prices): number => {
  const [rates, table] = isUpscale(work)
    ? [prices.upscale, 'UPSCALE_RATES']
    : [prices.lipsync, 'LIPSYNC_RATES'];
  const rate = rates[work.model];
  if (rate === undefined) throw new Error(`${table} has no rate for the model "${work.model}"`);
  return rate;
};

const baseText = (work: Work, prices: Prices): string => {
  const amounts = [
    ...(isUpscale(work) ? [pixelsText(work)] : []),
    ...(work.video ? [secondsText(work.video, secondsOf(work))] : []),
  ];
  return `${work.model}: ${amounts.join(' × ')} × ${rateOf(work, prices)}`;
};

const pixelsText = (work: UpscaleWork): string => {
  const pixels = pixelsOf(work);
  const least = pixels > work.outputPixels ? ' (the least for a frame)' : '';
  return `${pixels / MICRO} MP${least}`;
};

const secondsText = ({ seconds, frames }: Span, paid: number): string =>
  paid > seconds
    ? `${Number(paid.toFixed(6))} s (${frames} frames at ${PRICED_FPS} a second)`
    : `${seconds} s`;

const roundingLine = (micros: number): PriceLine[] =>
  micros > 0
    ? [{ kind: 'rounding', text: 'rounded up to a whole credit', credits: micros / MICRO }]
    : [];

const tiersOf = (prices: Prices): Tier[] => {
  let from = 0;
  return prices.tiers.map(({ credits, percent }, index) => {
    const last = credits === null || index === prices.tiers.length - 1;
    const tier = { from, to: last ? null : from + credits, percent };
    from += credits ?? 0;
    return tier;
  });
};

type Part = { readonly tier: Tier; readonly credits: number };

const split = (used: number, list: number, tiers: readonly Tier[]): Part[] =>
  tiers
    .map((tier) => {
      const to = tier.to ?? Number.POSITIVE_INFINITY;
      return { tier, credits: Math.min(used + list, to) - Math.max(used, tier.from) };
    })
    .filter(({ credits }) => credits > 0);

/** In whole micro-credits; of a percentage, four decimals count. */
const discountOf = ({ tier, credits }: Part): number => credits * Math.round(tier.percent * 10_000);

/** A job within one tier costs the same anywhere in it; one that spans tiers only from where it starts. */
const validity = (used: number, list: number, parts: readonly Part[]): Quote['validFor'] => {
  const [only, second] = parts;
  if (only === undefined || second !== undefined) return { from: used, to: used };
  const to = only.tier.to === null ? Number.MAX_SAFE_INTEGER : only.tier.to - list;
  return { from: only.tier.from, to };
};
