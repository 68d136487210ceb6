/** Everything that a process measures of its own work. What it does not do stays without a figure. */
import { Registry } from 'prom-client';
import { createHttpMetrics } from './http.ts';
import { createStages } from './stages.ts';
import { createTritonMetrics } from './triton.ts';
import { createWebhookMetrics } from './webhooks.ts';
import { createWorkMetrics } from './work.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** Labels have few values: no account, no job and no path of a request. Told by `registry.metrics()`. */
export const createMetrics = (registry = new Registry()) => ({
  registry,
  ...createHttpMetrics(registry),
  ...createWorkMetrics(registry),
  stages: createStages(registry),
  triton: createTritonMetrics(registry),
  webhooks: createWebhookMetrics(registry),
});
