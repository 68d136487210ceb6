import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { isUnreachable } from '../redis.ts';

type Measured = { readonly jobs: { counts(): Promise<Record<string, number>> } };
export type Metrics = ReturnType<typeof createMetrics>;

/** The Prometheus metrics of this process. */
export const createMetrics = ({ jobs }: Measured) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Seconds from the first byte of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600],
    registers: [registry],
  });
  new Gauge({
    name: 'jobs',
    help: 'Jobs of all accounts by status; status "queued" is the length of the queue',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      try {
        for (const [status, count] of Object.entries(await jobs.counts()))
          this.set({ status }, count);
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        // The other metrics are still needed; this one is left out, because an old count would be wrong.
        this.reset();
      }
    },
  });
  return { registry, requests };
};
