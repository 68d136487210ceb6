import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { JobProgress } from '../../contract/job.ts';
import { type Redises, script } from '../../redis.ts';
import type { Delivery } from '../queue.ts';
import type { JobError, JobOutcome } from '../record/record.ts';
import { endArguments } from '../record/settings.ts';

type Retry = {
  readonly delayMs: number;
  /** Whether the attempt counts towards the bound. */
  readonly counts: boolean;
  /** When a model or disk space was first found missing (ms). */
  readonly awaySince?: number;
};

export type Attempts = ReturnType<typeof openAttempts>;

/** What is recorded of a successful attempt. */
type Done = {
  readonly outcome: JobOutcome;
  readonly progress: JobProgress;
  /** Under which the result is cached: that of the work that was done. The record's own unless given. */
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

/** The steps of an attempt. Each is one script, which does nothing when the fencing token is not the job's latest. */
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

    /** `error` is null when the attempt stopped because the job is being cancelled. */
    fail: (id: string, fence: number, error: JobError | null) =>
      failJob(stores, id, fence, error === null ? '' : JSON.stringify(error), ...end),

    retry: (id: string, fence: number, { delayMs, counts, awaySince }: Retry) =>
      retryJob(stores, id, fence, delayMs, counts ? 1 : 0, awaySince ?? '', ...end),

    /** The jobs that Bull must be given now, and the ids of those that ended because their worker was lost. */
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
