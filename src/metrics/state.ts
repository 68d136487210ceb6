/**
 * What Redis knows and all API processes therefore tell alike: take the maximum over them, not the sum. The totals are
 * counted by the scripts that make the changes, so no crash loses one; a Redis without data begins at 0.
 */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Totals } from '../accounts/ledger.ts';
import { isUnreachable } from '../redis.ts';

export type State = {
  readonly jobs: {
    counts(): Promise<Readonly<Record<string, number>>>;
    /** Null while no job waits. */
    oldestQueuedAtMs(): Promise<number | null>;
  };
  readonly ledger: {
    totals(): Promise<Totals>;
    heldNow(): Promise<number>;
  };
};

export const measureState = (registry: Registry, { jobs, ledger }: State): void => {
  const registers = [registry];
  new Gauge({
    name: 'enhance_jobs',
    help: 'Jobs of all accounts by status; status "queued" is the length of the queue',
    labelNames: ['status'],
    registers,
    async collect() {
      this.reset();
      for (const [status, count] of Object.entries((await known(jobs.counts())) ?? {}))
        this.set({ status }, count);
    },
  });
  new Gauge({
    name: 'enhance_oldest_queued_seconds',
    help: 'Seconds since the oldest waiting job was made; 0 while none waits',
    registers,
    async collect() {
      const at = await known(jobs.oldestQueuedAtMs());
      this.remove();
      if (at !== undefined) this.set(at === null ? 0 : Math.max(0, Date.now() - at) / 1000);
    },
  });
  const total = (name: string, help: string, label: string) =>
    new Counter({ name, help, labelNames: [label], registers });
  const credits = total(
    'enhance_credits_total',
    'Credits of all accounts by what happened to them: granted, held, captured, released',
    'change',
  );
  const finished = total(
    'enhance_jobs_finished_total',
    'Jobs that ended, without those answered from the cache, by their last status',
    'status',
  );
  const lost = new Counter({
    name: 'enhance_workers_lost_total',
    help: 'Attempts whose worker vanished with them',
    registers,
  });
  new Gauge({
    name: 'enhance_credits_held',
    help: 'Credits of all accounts that are held for unfinished jobs',
    registers,
    async collect() {
      const [held, totals] = await Promise.all([known(ledger.heldNow()), known(ledger.totals())]);
      for (const metric of [credits, finished, lost]) metric.reset();
      this.remove();
      if (held === undefined || totals === undefined) return;
      this.set(held);
      for (const [change, count] of Object.entries(totals.credits)) credits.inc({ change }, count);
      for (const [status, count] of Object.entries(totals.jobs)) finished.inc({ status }, count);
      lost.inc(totals.workersLost);
    },
  });
};

/** Undefined while Redis cannot be reached: an old figure would be wrong, and the others are still needed. */
const known = async <T>(asked: Promise<T>): Promise<T | undefined> => {
  try {
    return await asked;
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    return undefined;
  }
};
