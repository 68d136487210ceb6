/**
 * What Redis knows and all API processes therefore tell alike: take the maximum over them, not the sum. The totals are
 * counted by the scripts that make the changes, so no crash loses one; a Redis without data begins at 0.
 */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Totals } from '../accounts/ledger.ts';
import { known } from './known.ts';

type Counts = Readonly<Record<string, number>>;

export type State = {
  readonly jobs: {
    counts(): Promise<Counts>;
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
      const counts = (await known(jobs.counts())) ?? {};
      this.reset();
      for (const [status, count] of Object.entries(counts)) this.set({ status }, count);
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
  new Gauge({
    name: 'enhance_credits_held',
    help: 'Credits of all accounts that are held for unfinished jobs',
    registers,
    async collect() {
      const held = await known(ledger.heldNow());
      this.remove();
      if (held !== undefined) this.set(held);
    },
  });
  new Counter({
    name: 'enhance_credits_total',
    help: 'Credits of all accounts by what happened to them: granted, withdrawn, held, captured, released',
    labelNames: ['change'],
    registers,
    async collect() {
      const credits: Counts = (await known(ledger.totals()))?.credits ?? {};
      this.reset();
      for (const [change, count] of Object.entries(credits)) this.inc({ change }, count);
    },
  });
  new Counter({
    name: 'enhance_jobs_finished_total',
    help: 'Jobs that ended, without those answered from the cache, by their last status',
    labelNames: ['status'],
    registers,
    async collect() {
      const jobs: Counts = (await known(ledger.totals()))?.jobs ?? {};
      this.reset();
      for (const [status, count] of Object.entries(jobs)) this.inc({ status }, count);
    },
  });
  new Counter({
    name: 'enhance_workers_lost_total',
    help: 'Attempts whose worker vanished with them',
    registers,
    async collect() {
      const lost = (await known(ledger.totals()))?.workersLost;
      this.remove();
      if (lost !== undefined) this.inc(lost);
    },
  });
};
