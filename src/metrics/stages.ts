import { Histogram, type Registry } from 'prom-client';
import type { Stage } from '../contract/job.ts';

/** Whose time it is. */
export type WorkLabels = { readonly operation: string; readonly model: string };

/** Where the time goes: the API fetches and probes, the worker does the rest. */
export const createStages = (registry: Registry) => {
  const seconds = new Histogram({
    name: 'enhance_stage_seconds',
    help: 'Seconds that one request (fetching, probing) or one attempt of a job (all others) spent in a stage',
    labelNames: ['operation', 'model', 'stage'],
    buckets: [0.01, 0.05, 0.2, 1, 5, 20, 60, 300, 1200, 3600],
    registers: [registry],
  });
  return {
    add: (labels: WorkLabels, stage: Stage, spent: number): void =>
      seconds.observe({ ...labels, stage }, spent),
    /** Measures `work`, whether it succeeds or not. */
    during: async <T>(labels: WorkLabels, stage: Stage, work: () => Promise<T>): Promise<T> => {
      const end = seconds.startTimer({ ...labels, stage });
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
};
