/** How the Triton servers stand for this process. */
import { Counter, Gauge, type Registry } from 'prom-client';

type Stats = {
  readonly repeated: number;
  readonly replicas: readonly {
    readonly name: string;
    readonly healthy: boolean;
    readonly ejections: number;
  }[];
};

/** A server that has left is no longer reported. */
export const measureReplicas = (registry: Registry, stats: () => Stats): void => {
  const registers = [registry];
  new Gauge({
    name: 'enhance_triton_replica_up',
    help: 'Whether this Triton server answered its last check and is not ejected: 1 or 0',
    labelNames: ['replica'],
    registers,
    collect() {
      this.reset();
      for (const { name, healthy } of stats().replicas)
        this.set({ replica: name }, healthy ? 1 : 0);
    },
  });
  new Counter({
    name: 'enhance_triton_ejections_total',
    help: 'How often this Triton server was taken out of use after it failed',
    labelNames: ['replica'],
    registers,
    collect() {
      this.reset();
      for (const { name, ejections } of stats().replicas) this.inc({ replica: name }, ejections);
    },
  });
  new Counter({
    name: 'enhance_triton_repeated_requests_total',
    help: 'Requests that were lost with their Triton server and repeated on another',
    registers,
    collect() {
      this.reset();
      this.inc(stats().repeated);
    },
  });
};
