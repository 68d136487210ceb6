import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until all have ended, well or not, at most so many ms. */
export const atMost = (ms: number, work: Iterable<Promise<unknown>>): Promise<unknown> =>
  Promise.race([Promise.allSettled(work), sleep(ms, undefined, { ref: false })]);
