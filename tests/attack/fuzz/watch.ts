/** What can be seen of a service from outside while it is attacked: memory, file descriptors, how long it answers nobody. */
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodersOf } from '../../real/decoders.ts';

export type Figures = { readonly rss_mib: number; readonly fds: number; readonly decoders: number };

export const figuresOf = (pid: number): Figures => ({
  rss_mib: Math.round(
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
  ),
  fds: readdirSync(`/proc/${pid}/fd`).length,
  decoders: decodersOf(pid).length,
});

/** Asks /healthz again and again; how long it took at most, less the time for which this process itself stood still. */
export const watchHealth = (port: number) => {
  let longestMs = 0;
  const stopped = new AbortController();
  const watch = async () => {
    while (!stopped.signal.aborted) {
      const standstill = standstillOf();
      const from = performance.now();
      await health(port);
      longestMs = Math.max(longestMs, performance.now() - from - standstill());
      await sleep(20);
    }
  };
  const watched = watch();
  return {
    longestMs: () => Math.round(longestMs),
    stop: async () => {
      stopped.abort();
      await watched;
    },
  };
};

/** A dead service answers as quickly as its port refuses; its death is seen elsewhere. */
const health = (port: number): Promise<void> =>
  new Promise((resolve) => {
    const asked = request({ port, host: '127.0.0.1', path: '/healthz', timeout: 60_000 });
    asked.once('response', (answer) => answer.resume().once('end', resolve));
    asked.once('error', () => resolve());
    asked.once('timeout', () => asked.destroy());
    asked.end();
  });

const everyMs = 5;

/** Starts to measure for how long this process did nothing; gives the sum. */
const standstillOf = () => {
  let last = performance.now();
  let still = 0;
  const note = () => {
    still += Math.max(0, performance.now() - last - everyMs);
    last = performance.now();
  };
  const timer = setInterval(note, everyMs);
  return (): number => {
    clearInterval(timer);
    note();
    return still;
  };
};
