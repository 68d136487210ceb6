/** Waiting for what gives no event. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Looks again after a tenth of the time waited so far, 10 to 100 ms, until `holds` does; throws when that takes too long. */
export const until = async (
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 60_000,
): Promise<void> => {
  const from = Date.now();
  while (!(await holds())) {
    const waitedMs = Date.now() - from;
    if (waitedMs > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(Math.min(Math.max(waitedMs / 10, 10), 100));
  }
};
