/** What was sent, what came back, and what did not hold. */
import type { Attack, Kind } from './attack.ts';
import { keep } from './keep.ts';
import type { Exchange } from './send.ts';

export type Found = {
  /** -1: what shows only when all is over. */
  readonly index: number;
  readonly kind: Kind | 'after';
  readonly what: string;
  readonly faults: readonly string[];
  /** The script that sends it again. */
  readonly kept?: string;
};
export type Slow = { readonly ms: number; readonly index: number; readonly what: string };
export type Tally = ReturnType<typeof openTally>;

export const openTally = (seed: number) => {
  const inputs: Record<string, number> = {};
  const statuses: Record<string, number> = {};
  const jobs = new Map<string, { attack: Attack; index: number }>();
  let slowest: Slow[] = [];
  let found: Found[] = [];
  const count = (of: Record<string, number>, name: string) => {
    of[name] = (of[name] ?? 0) + 1;
  };
  const find = (attack: Attack, index: number, faults: readonly string[]): void => {
    if (faults.length === 0) return;
    const { kind, what } = attack;
    found.push({ index, kind, what, faults: faults.slice(0, 5), kept: keep(attack, seed, index) });
  };
  return {
    add: (attack: Attack, index: number, { answers, ms }: Exchange): void => {
      const what = `${attack.kind}: ${attack.what}`;
      count(inputs, attack.kind);
      for (const { status, body } of answers) {
        count(statuses, `${Math.floor(status / 100)}xx`);
        const id = status === 202 && /"id":"(job_\w+)"/.exec(body.toString('latin1', 0, 200))?.[1];
        if (id) jobs.set(id, { attack, index });
      }
      if (answers.length === 0) count(statuses, 'none');
      else slowest.push({ ms: Math.round(ms), index, what });
      slowest = slowest.sort((a, b) => b.ms - a.ms).slice(0, 5);
    },
    find,
    /** What failed in a job that one of the attacks made. */
    findJob: (id: string, fault: string): void => {
      const made = jobs.get(id);
      if (made) find(made.attack, made.index, [fault]);
      else found.push({ index: -1, kind: 'after', what: id, faults: [fault] });
    },
    findAfter: (...faults: readonly string[]): void => {
      for (const fault of faults)
        found.push({ index: -1, kind: 'after', what: 'all of them', faults: [fault] });
    },
    /** Those of these inputs do not count: they come again. */
    forget: (indexes: readonly number[]): void => {
      found = found.filter(({ index }) => !indexes.includes(index));
    },
    found: (): readonly Found[] => found,
    figures: () => ({ inputs, statuses, slowest }),
  };
};
