/** Waiting for what gives no event. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Looks every 10 ms until `holds` does; throws when that takes too long. */
export const until = async (
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 30_000,
): Promise<void> => {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(10);
  }
};
