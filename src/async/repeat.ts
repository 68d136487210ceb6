import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';

/** Does `work` again and again, `pauseMs` apart, whatever fails; the returned function ends it and waits for it. */
export const repeat = (pauseMs: number, work: () => Promise<void>, log: Log) => {
  const ending = new AbortController();
  const { signal } = ending;
  const pause = async () => {
    try {
      await sleep(pauseMs, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  const loop = async () => {
    while (!signal.aborted) {
      try {
        await work();
      } catch (error) {
        log.error({ err: error }, 'a repeated task failed; it is tried again');
      }
      await pause();
    }
  };
  const ended = loop();
  return async (): Promise<void> => {
    ending.abort();
    await ended;
  };
};
