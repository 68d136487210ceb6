/** Calls to Triton, by replica and by Triton's name of the model: measured by API and worker. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export const createTritonMetrics = (registry: Registry) => {
  const registers = [registry];
  const seconds = new Histogram({
    name: 'enhance_triton_request_duration_seconds',
    help: 'Seconds that a request to Triton took, its time in the queue of the model included',
    labelNames: ['replica', 'model'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600],
    registers,
  });
  const errors = new Counter({
    name: 'enhance_triton_errors_total',
    help: 'Requests to Triton that failed, by the code of the failure; "stopped": their caller gave them up',
    labelNames: ['replica', 'model', 'code'],
    registers,
  });
  const pending = new Gauge({
    name: 'enhance_triton_pending_requests',
    help: 'Requests of this process that are at Triton now',
    labelNames: ['replica', 'model'],
    registers,
  });
  return {
    /** The returned function ends the request; `code` is that of its failure. */
    begin: (replica: string, model: string): ((code?: string) => void) => {
      const labels = { replica, model };
      const end = seconds.startTimer(labels);
      pending.inc(labels);
      return (code) => {
        end();
        pending.dec(labels);
        if (code !== undefined) errors.inc({ ...labels, code });
      };
    },
  };
};
