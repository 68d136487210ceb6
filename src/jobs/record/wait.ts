import type { Jobs } from './jobs.ts';
import { isOver, type JobRecord } from './record.ts';
import type { JobEvent, Signals } from './signals.ts';

const ENDS: ReadonlySet<JobEvent> = new Set(['succeeded', 'failed', 'canceled', 'unsure']);

/**
 * The job when it has ended, or unfinished after `timeoutMs` or when `signal` aborts: isOver(status) says which.
 * Listens before it reads the record, so that an end between the two is not missed.
 */
export const waitForEnd = async (
  { jobs, signals }: { readonly jobs: Jobs; readonly signals: Signals },
  { account, id }: Pick<JobRecord, 'account' | 'id'>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<JobRecord> => {
  let wake = () => {};
  let stopped = signal?.aborted ?? false;
  const stop = () => {
    stopped = true;
    wake();
  };
  const unlisten = signals.listen(id, (event) => {
    if (ENDS.has(event)) wake();
  });
  const timer = setTimeout(stop, timeoutMs);
  signal?.addEventListener('abort', stop);
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const job = await jobs.get(account, id);
      if (isOver(job.status) || stopped) return job;
      await woken;
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    clearTimeout(timer);
    unlisten();
  }
};
