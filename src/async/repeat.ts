import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { logRedisFailed } from '../redis/connection.ts';
import { isUnreachable } from '../redis/errors.ts';

/**
 * Runs `work`, waits for `pauseMs`, and so on, until the returned function is called, which resolves when the last run has
 * ended. A run that fails is logged; where Redis does not answer, once in 10 s for all tasks and connections of the process.
 */
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
        if (error instanceof Error && isUnreachable(error)) logRedisFailed(log, error);
        else log.error({ err: error }, 'a repeated task failed; it runs again after its pause');
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
