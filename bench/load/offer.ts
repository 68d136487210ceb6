/** Requests on a timetable of their own: one that is answered late does not hold up the next, and its wait counts. */
import { setTimeout as sleep } from 'node:timers/promises';

export type Offered = {
  readonly what: string;
  readonly status: number;
  /** Of a refusal; empty for other answers. */
  readonly code: string;
  /** From the beginning to the moment at which it was due. */
  readonly dueMs: number;
  /** From that moment on. */
  readonly ms: number;
};
export type Answer = { readonly status: number; readonly code: string };
export type Call = { readonly what: string; send(): Promise<Answer> };

type Timetable = {
  readonly perSecond: number;
  readonly until: AbortSignal;
  /** Which call is due at the place `index`. */
  readonly next: (index: number) => Call;
};

/** Sends calls at this rate until the signal; waits for the last answer. A connection that breaks has status 0. */
export const offer = async ({ perSecond, until, next }: Timetable): Promise<Offered[]> => {
  const from = performance.now();
  const underWay: Promise<Offered>[] = [];
  for (let index = 0; !until.aborted; index += 1) {
    const due = from + (index * 1000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    underWay.push(answered(next(index), { from, due }));
  }
  return Promise.all(underWay);
};

type When = { readonly from: number; readonly due: number };

const answered = async (call: Call, { from, due }: When): Promise<Offered> => {
  let answer: Answer;
  try {
    answer = await call.send();
  } catch (error) {
    answer = { status: 0, code: `broken: ${error}` };
  }
  return { what: call.what, ...answer, dueMs: due - from, ms: performance.now() - due };
};

/** How often each value occurs. */
export const counts = (values: readonly string[]): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const value of values) sums[value] = (sums[value] ?? 0) + 1;
  return sums;
};
