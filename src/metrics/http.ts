/** Requests, refusals, and what became of orders: measured by the API. */
import { Counter, Histogram, type Registry } from 'prom-client';

export const createHttpMetrics = (registry: Registry) => {
  const registers = [registry];
  return {
    requests: new Histogram({
      name: 'enhance_http_request_duration_seconds',
      help: 'Seconds from the first byte of a request to the end of its answer; 499: the caller hung up',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600],
      registers,
    }),
    failures: new Counter({
      name: 'enhance_http_failures_total',
      help: 'Answers that were a problem, by its code',
      labelNames: ['code'],
      registers,
    }),
    orders: new Counter({
      name: 'enhance_orders_total',
      help: 'Orders that got a job: "cached" from an earlier result, "joined" to an equal unfinished job, or "new"',
      labelNames: ['operation', 'model', 'placed'],
      registers,
    }),
  };
};
