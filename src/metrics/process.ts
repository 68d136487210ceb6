/** What every process reports about itself: Node's own figures (event loop lag included), its disk and its way to Redis. */
import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** What is looked at whenever a scraper asks. */
type Looked = {
  readonly ping: () => Promise<unknown>;
  /** Fails where Redis takes no writes. */
  readonly write: () => Promise<unknown>;
  /** The folder whose disk holds the media. */
  readonly dir: string;
  readonly reserveBytes: number;
};

/** Prometheus waits 10 s for all figures together. */
const answerWithinMs = 2_000;

export const openProcessMetrics = ({ ping, write, dir, reserveBytes }: Looked): Registry => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  /** A gauge that is looked up at each scrape, and left out where that gives nothing. */
  const gauge = (name: string, help: string, look: () => Promise<number | undefined>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const value = await look();
        this.remove();
        if (value !== undefined) this.set(value);
      },
    });
  gauge(
    'enhance_redis_up',
    'Whether Redis took a write of this process within 2 s: 1 or 0',
    async () => ((await inTime(write())) === undefined ? 0 : 1),
  );
  gauge(
    'enhance_redis_ping_seconds',
    'Seconds that a PING of this process took at this scrape; left out while Redis is not up',
    async () => {
      const from = performance.now();
      const answered = await inTime(ping());
      return answered === undefined ? undefined : (performance.now() - from) / 1000;
    },
  );
  gauge(
    'enhance_disk_free_bytes',
    'Free space of the file system that DATA_DIR is on, for a process that is not root',
    async () => {
      const disk = await inTime(statfs(dir));
      return disk && disk.bavail * disk.bsize;
    },
  );
  gauge('enhance_disk_size_bytes', 'Size of the file system that DATA_DIR is on', async () => {
    const disk = await inTime(statfs(dir));
    return disk && disk.blocks * disk.bsize;
  });
  gauge(
    'enhance_disk_reserve_bytes',
    'DISK_RESERVE_BYTES: with less free space uploads and jobs are refused',
    async () => reserveBytes,
  );
  return registry;
};

/** Undefined for what fails or takes longer than 2 s: then its figure is left out, and the others are still reported. */
const inTime = <T>(answer: Promise<T>): Promise<T | undefined> =>
  Promise.race([
    answer.then(undefined, () => undefined),
    sleep(answerWithinMs, undefined, { ref: false }),
  ]);
