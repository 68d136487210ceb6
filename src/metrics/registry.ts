/** What every process tells of itself: Node's own figures (event loop lag included), its disk and its way to Redis. */
import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** What is looked at whenever a scraper asks. */
type Looked = {
  readonly ping: () => Promise<unknown>;
  /** The folder whose disk holds the media. */
  readonly dir: string;
  readonly reserveBytes: number;
};

/** Prometheus waits 10 s for all figures together. */
const answerWithinMs = 2_000;

export const openRegistry = ({ ping, dir, reserveBytes }: Looked): Registry => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const up = new Gauge({
    name: 'enhance_redis_up',
    help: 'Whether Redis answered this process within 2 s: 1 or 0',
    registers,
  });
  new Gauge({
    name: 'enhance_redis_ping_seconds',
    help: 'Seconds that a PING of this process took, measured at this scrape; left out while Redis is not up',
    registers,
    async collect() {
      const from = performance.now();
      const answered = await inTime(ping());
      up.set(answered === undefined ? 0 : 1);
      this.remove();
      if (answered !== undefined) this.set((performance.now() - from) / 1000);
    },
  });

  const size = new Gauge({
    name: 'enhance_disk_size_bytes',
    help: 'Size of the file system that DATA_DIR is on',
    registers,
  });
  new Gauge({
    name: 'enhance_disk_reserve_bytes',
    help: 'DISK_RESERVE_BYTES: with less free space uploads and jobs are refused',
    registers,
  }).set(reserveBytes);
  new Gauge({
    name: 'enhance_disk_free_bytes',
    help: 'Free space of the file system that DATA_DIR is on, for a process that is not root; left out while the disk does not answer',
    registers,
    async collect() {
      const found = await inTime(statfs(dir));
      this.remove();
      size.remove();
      if (found === undefined) return;
      this.set(found.bavail * found.bsize);
      size.set(found.blocks * found.bsize);
    },
  });
  return registry;
};

/** Undefined for what fails or takes longer than 2 s: then its figure is left out, and the others are still told. */
const inTime = <T>(answer: Promise<T>): Promise<T | undefined> =>
  Promise.race([
    answer.then(undefined, () => undefined),
    sleep(answerWithinMs, undefined, { ref: false }),
  ]);
