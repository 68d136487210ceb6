import type { JobProgress } from '../../contract/job.ts';
import type { Log } from '../../log.ts';
import type { Progress } from '../../operations/progress.ts';
import type { JobRecord } from '../record/record.ts';
import type { Attempts } from './attempts.ts';
import { createMeter } from './meter.ts';

export type HeartTiming = {
  /** Between two looks whether there is progress to tell. */
  readonly beatMs: number;
  /** Longest silence of a living attempt; a cancel that was announced to no one is seen by then. */
  readonly silenceMs: number;
};

/** Keeps the lease, reports progress, and notices stops that were not announced. */
export const startHeart = (
  { attempts, log }: { readonly attempts: Pick<Attempts, 'beat'>; readonly log: Pick<Log, 'warn'> },
  { beatMs, silenceMs }: HeartTiming,
  { id, fence }: Pick<JobRecord, 'id' | 'fence'>,
  stop: (why: 'canceled' | 'lost') => void,
) => {
  const meter = createMeter();
  let last: Progress = { stage: 'probing', framesDone: 0, framesTotal: null };
  let news: JobProgress | null = null;
  let beating = false;
  let lastMs = performance.now();

  const beat = async () => {
    if (beating || (news === null && performance.now() - lastMs < silenceMs)) return;
    const told = news;
    [beating, lastMs, news] = [true, performance.now(), null];
    try {
      const said = await attempts.beat(id, fence, told);
      if (said === 'cancel') stop('canceled');
      if (said === 'lost') stop('lost');
    } catch (error) {
      // Whether the job is still this attempt's is decided when it ends, by its fence.
      log.warn({ err: error }, 'no heartbeat');
    } finally {
      beating = false;
    }
  };
  const timer = setInterval(() => void beat(), beatMs);

  return {
    report: (progress: Progress): JobProgress => {
      last = progress;
      news = meter(progress, performance.now());
      return news;
    },
    last: () => last,
    stop: () => clearInterval(timer),
  };
};
