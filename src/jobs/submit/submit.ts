import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../errors.ts';
import { newJobId } from '../record/id.ts';
import type { JobRecord } from '../record/record.ts';
import { type Placed, placeNew, placeReused } from './place.ts';
import type { Order, Submission, SubmitParts } from './submission.ts';

export type Submitted = {
  readonly job: JobRecord;
  /** Made from an earlier result. */
  readonly cached: boolean;
  /** The job of an identical request that has not ended. */
  readonly joined: boolean;
};

/** The result or the running job of the same work; null when there is none. Failure idempotency_in_progress. */
export const reuse = async (parts: SubmitParts, order: Order): Promise<Submitted | null> => {
  const placed = await placeReused(parts, order, newJobId(Date.now()));
  return placed && submitted(parts, placed);
};

/** The use case behind POST. Failure insufficient_credits | concurrency_limited | queue_full. */
export const submit = async (parts: SubmitParts, submission: Submission): Promise<Submitted> => {
  const id = newJobId(Date.now());
  try {
    const placed = await moveAndPlace(parts, submission, id);
    if (placed[0] === 'queued') void deliver(parts, id);
    return submitted(parts, placed);
  } finally {
    for (const path of Object.values(submission.files)) await parts.files.remove(path);
  }
};

const submitted = ({ jobs }: SubmitParts, [how, , record]: Placed): Submitted => ({
  job: jobs.read(record),
  cached: how === 'cached',
  joined: how === 'joined',
});

const moveAndPlace = async (parts: SubmitParts, submission: Submission, id: string) => {
  const { files } = parts;
  try {
    // Before the record: a worker may start as soon as that exists.
    const inputs = Object.entries(submission.files);
    const kept = await Promise.allSettled(
      inputs.map(([role, path]) => files.keepInput(path, id, role)),
    );
    for (const one of kept) if (one.status === 'rejected') throw one.reason;
    const placed = await placeNew(parts, submission, id);
    if (placed[0] === 'cached' || placed[0] === 'joined') await files.removeInputs(id);
    return placed;
  } catch (error) {
    // After any other error the job may exist all the same; the sweep knows.
    if (error instanceof Failure) await files.removeInputs(id);
    throw error;
  }
};

/** A worker with nothing to do takes a job within this time, and then Bull's writes to the disk would only delay it. */
const TAKEN_WITHIN_MS = 10;

/** Never rejects; nothing waits for it. */
const deliver = async ({ queue, jobs, log }: SubmitParts, id: string): Promise<void> => {
  try {
    await sleep(TAKEN_WITHIN_MS);
    if (await jobs.isQueued(id)) await queue.deliver({ id, dispatch: 1 });
  } catch (error) {
    // The job is made and the caller gets it: a worker finds it when it looks at what is due.
    log.warn({ job_id: id, err: error }, 'a job could not be given to the queue yet');
  }
};
