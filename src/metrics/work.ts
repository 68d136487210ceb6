/** Attempts of jobs and what they make: measured by the worker. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { WorkLabels } from './stages.ts';

/** What an attempt has made. */
type Made = { readonly frames: number; readonly megapixels: number };

export const createWorkMetrics = (registry: Registry) => {
  const registers = [registry];
  const byModel = ['operation', 'model'];
  const byRelease = [...byModel, 'release'];
  const frames = new Counter({
    name: 'enhance_frames_total',
    help: 'Frames of the results that attempts have made; an image is one. Counted when the attempt ends',
    labelNames: byRelease,
    registers,
  });
  const megapixels = new Counter({
    name: 'enhance_megapixels_total',
    help: 'Millions of pixels in these frames. Counted when the attempt ends',
    labelNames: byRelease,
    registers,
  });
  const slots = new Gauge({
    name: 'enhance_worker_slots',
    help: 'Attempts that this worker runs at most at a time (WORKER_CONCURRENCY), but for one picture beside long jobs; only workers tell it',
    registers,
  });
  // A gauge without labels would tell 0 until it is set.
  slots.remove();
  return {
    slots,
    running: new Gauge({
      name: 'enhance_running_attempts',
      help: 'Attempts that this worker runs now',
      registers,
    }),
    waited: new Histogram({
      name: 'enhance_job_wait_seconds',
      help: 'Seconds from the making of a job to the start of its first attempt',
      labelNames: byModel,
      buckets: [0.05, 0.2, 1, 5, 20, 60, 300, 1200, 3600],
      registers,
    }),
    attempts: new Counter({
      name: 'enhance_attempts_total',
      help: 'Attempts that ended: how they left the job, and the code of the failure or what stopped them',
      labelNames: [...byRelease, 'end', 'code'],
      registers,
    }),
    made: (labels: WorkLabels & { readonly release: string }, { frames: count, ...of }: Made) => {
      frames.inc(labels, count);
      megapixels.inc(labels, of.megapixels);
    },
  };
};
