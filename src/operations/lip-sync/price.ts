/** What a lip sync costs: the seconds of the result. Pure. */
import { type ListPrice, listPrice, type Span, videoSeconds } from '../../accounts/list-price.ts';

/** `rate`: credits for a second of the result. */
export const lipsyncPrice = (model: string, rate: number, result: Span): ListPrice =>
  listPrice(model, rate, [videoSeconds(result)]);
