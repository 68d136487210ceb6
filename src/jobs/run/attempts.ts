import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { JobProgress } from '../../contract/job.ts';
import { type Redises, script } from '../../redis/script.ts';
import type { Ticket } from '../queue.ts';
import type { JobError, JobOutcome } from '../record/record.ts';
import { RECORD_TTL_MS } from '../record/settings.ts';

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
  z.union([
    z.tuple([z.literal('taken'), z.string(), z.number(), z.array(z.string())]),
    z.tuple([z.literal('ended'), z.string()]),
    z.tuple([z.literal('none')]),
  ]),
);
const beatJob = script(from('beat'), z.enum(['on', 'cancel', 'lost']));
const succeedJob = script(from('succeed'), z.enum(['succeeded', 'canceled', 'lost']));
const failJob = script(from('fail'), z.union([z.enum(['failed', 'canceled']), Lost]));
const retryJob = script(from('retry'), z.union([z.enum(['queued', 'canceled']), Lost]));
const lookAtDue = script(
  from('due'),
  z.tuple([z.array(z.tuple([z.string(), z.number()])), z.array(z.string()), z.number()]),
);

const adoptJobs = script(from('adopt'), z.number());

/** The most jobs that are due and are handled in one call. */
const DUE_AT_ONCE = 100;

/** The steps of an attempt. Each is one script, which does nothing when the fencing token is not the job's latest. */
export const openAttempts = (stores: Redises, config: Config, leaseMs: number) => {
  const { attempts, accountRunning } = config.jobs;
  /** When `due` was answered last, by Redis' clock. */
  let looked = 0;
  return {
    /**
     * Starts the job whose turn it is; the ticket's own job is that only when nobody else's comes before it. Null: a place is
     * free, and no ticket is used up. 'quick': only a quick job may be started.
     */
    take: (ticket: Ticket | 'quick' | null, token: string) => {
      const isQuick = ticket === 'quick';
      const { id, dispatch } = isQuick || !ticket ? { id: '', dispatch: 0 } : ticket;
      const lane = isQuick ? 'quick-' : '';
      return takeJob(stores, id, dispatch, token, leaseMs, accountRunning, RECORD_TTL_MS, lane);
    },

    beat: (id: string, fence: number, progress: JobProgress | null) =>
      beatJob(stores, id, fence, leaseMs, progress === null ? '' : JSON.stringify(progress)),

    succeed: (id: string, fence: number, { outcome, progress, fingerprint = '' }: Done) =>
      succeedJob(
        stores,
        ...[id, fence, JSON.stringify(outcome), JSON.stringify(progress)],
        ...[config.files.ttlMs, fingerprint, RECORD_TTL_MS],
      ),

    /** `error` is null when the attempt stopped because the job is being cancelled. */
    fail: (id: string, fence: number, error: JobError | null) =>
      failJob(stores, id, fence, error === null ? '' : JSON.stringify(error), RECORD_TTL_MS),

    retry: (id: string, fence: number, { delayMs, counts, awaySince }: Retry) =>
      retryJob(stores, id, fence, delayMs, counts ? 1 : 0, awaySince ?? '', RECORD_TTL_MS),

    /** The tickets that Bull must have now, and the ids of the jobs that ended because their worker was lost. */
    due: async (mostTickets: number) => {
      const limits = [DUE_AT_ONCE, mostTickets, attempts, accountRunning];
      const answer = await lookAtDue(stores, ...limits, RECORD_TTL_MS, leaseMs, looked);
      const [tickets, ended, now] = answer;
      looked = Math.max(looked, now);
      return { tickets: tickets.map(([id, dispatch]): Ticket => ({ id, dispatch })), ended };
    },

    /** Gives jobs that another version of the service queued their turns; how many these were. */
    adopt: () => adoptJobs(stores),
  };
};
