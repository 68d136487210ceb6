import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { JobProgress } from '../../contract/job.ts';
import { type Redises, script } from '../../redis.ts';
import type { Delivery } from '../queue.ts';
import type { JobError, JobOutcome } from '../record/record.ts';
import { endArguments } from '../record/settings.ts';

export type Attempts = ReturnType<typeof openAttempts>;

/** What a successful attempt leaves. */
type Done = {
  readonly outcome: JobOutcome;
  readonly progress: JobProgress;
  /** Of the work that was done, under which the result is cached; that of the job's record unless given. */
  readonly fingerprint?: string;
};

const Lost = z.literal('lost');
const from = (name: string) => new URL(`../scripts/${name}.lua`, import.meta.url);
const takeJob = script(
  from('take'),
  z.union([z.tuple([z.literal('taken'), z.number()]), z.tuple([z.enum(['refused', 'ended'])])]),
);
const beatJob = script(from('beat'), z.enum(['on', 'cancel', 'lost']));
const succeedJob = script(from('succeed'), z.enum(['succeeded', 'canceled', 'lost']));
const failJob = script(from('fail'), z.union([z.enum(['failed', 'canceled']), Lost]));
const retryJob = script(from('retry'), z.union([z.enum(['queued', 'canceled']), Lost]));
const lookAtDue = script(
  from('due'),
  z.tuple([z.array(z.tuple([z.string(), z.number()])), z.array(z.string())]),
);

/** What a worker may do to a job. Each is one script that first checks the attempt's fence. */
export const openAttempts = (stores: Redises, config: Config, leaseMs: number) => {
  const end = endArguments(config);
  const { attempts } = config.jobs;
  return {
    take: ({ id, dispatch }: Delivery, token: string) =>
      takeJob(stores, id, dispatch, token, leaseMs, attempts, ...end),

    beat: (id: string, fence: number, progress: JobProgress | null) =>
      beatJob(stores, id, fence, leaseMs, progress === null ? '' : JSON.stringify(progress)),

    succeed: (id: string, fence: number, { outcome, progress, fingerprint = '' }: Done) =>
      succeedJob(
        stores,
        ...[id, fence, JSON.stringify(outcome), JSON.stringify(progress)],
        ...[config.files.ttlMs, fingerprint, ...end],
      ),

    /** No error: it stopped because it was to be cancelled. */
    fail: (id: string, fence: number, error: JobError | null) =>
      failJob(stores, id, fence, error === null ? '' : JSON.stringify(error), ...end),

    /** `awaySince`: a model, or room on the disk, is missing since then. */
    retry: (id: string, fence: number, delayMs: number, counts: boolean, awaySince?: number) =>
      retryJob(stores, id, fence, delayMs, counts ? 1 : 0, awaySince ?? '', ...end),

    /** The jobs that Bull must be given now, and those that ended because their worker was lost. */
    due: async (most: number, lookAgainMs: number) => {
      const [deliver, ended] = await lookAtDue(
        stores,
        most,
        lookAgainMs,
        attempts,
        ...end,
        leaseMs,
      );
      return { deliver: deliver.map(([id, dispatch]): Delivery => ({ id, dispatch })), ended };
    },
  };
};
