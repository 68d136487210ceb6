/** What work costs before the month's discount: a rate times amounts, in whole credits. Pure. */
import type { Config } from '../config.ts';
import { PRICED_FPS } from '../frame.ts';

/** `credits`: whole, at least 1; what counts towards the month's tiers. `text`: how it came about. */
export type ListPrice = { readonly credits: number; readonly text: string };

/** One factor of a price: millionths of its unit, and its text. */
type Amount = { readonly micros: number; readonly text: string };

/** How much output video there is. */
export type Span = { readonly seconds: number; readonly frames: number };

const MICRO = 1_000_000;

/**
 * The rate (credits for one of each unit) times the amounts, rounded up. Whole numbers throughout: in floating point
 * 0.1 × 30 is more than 3, and would be rounded up to 4. Throws an Error for an amount that is no finite number, or is
 * negative: what was measured wrongly must not become a price.
 */
export const listPrice = (model: string, rate: number, amounts: readonly Amount[]): ListPrice => {
  const wrong = amounts.find(({ micros }) => !Number.isFinite(micros) || micros < 0);
  if (wrong) throw new Error(`expected an amount of work; got "${wrong.text}"`);
  const product = amounts.reduce(
    (sum, { micros }) => sum * BigInt(Math.round(micros)),
    BigInt(Math.round(rate * MICRO)),
  );
  const one = BigInt(MICRO) ** BigInt(amounts.length + 1);
  return {
    credits: Math.max(1, Number((product + one - 1n) / one)),
    text: `${model}: ${amounts.map(({ text }) => text).join(' × ')} × ${rate}`,
  };
};

export const megapixels = (pixels: number, remark = ''): Amount => ({
  micros: pixels,
  text: `${pixels / MICRO} MP${remark}`,
});

/** Rounding may make one frame more than 30 a second allows; it is not charged. */
const ROUNDED_FRAMES = 1;

/** The seconds of video that are paid for: with more than 30 frames a second, as many as they would last at 30. */
export const videoSeconds = ({ seconds, frames }: Span): Amount => {
  const fast = frames > seconds * PRICED_FPS + ROUNDED_FRAMES;
  const paid = fast ? frames / PRICED_FPS : seconds;
  const text =
    paid > seconds
      ? `${Number(paid.toFixed(6))} s (${frames} frames at ${PRICED_FPS} a second)`
      : `${seconds} s`;
  // Only one of the two decides the price, and the other may not be wrong unseen.
  const isAmount = [seconds, frames].every((amount) => Number.isFinite(amount) && amount >= 0);
  return { micros: isAmount ? paid * MICRO : Number.NaN, text };
};

/** Credits for each unit of a model's work. */
export const rateOf = ({ rates }: Pick<Config['prices'], 'rates'>, kind: string, model: string) => {
  const rate = rates[kind]?.[model];
  if (rate === undefined)
    throw new Error(`the rates of ${kind} have none for the model "${model}"`);
  return rate;
};
