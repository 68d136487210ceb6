import { Failure } from '../../errors.ts';
import { newJobId } from '../record/id.ts';
import type { JobRecord } from '../record/record.ts';
import { place } from './place.ts';
import type { Submission, SubmitParts } from './submission.ts';

export type Submitted = {
  readonly job: JobRecord;
  /** Made from an earlier result. */
  readonly cached: boolean;
  /** The job of an identical request that has not ended. */
  readonly joined: boolean;
};

/** The use case behind POST. Failure insufficient_credits | concurrency_limited | queue_full. */
export const submit = async (parts: SubmitParts, submission: Submission): Promise<Submitted> => {
  const { files } = submission;
  const id = newJobId(Date.now());
  try {
    const found = await place(parts, submission, id, 'reuse');
    const [made, jobId] = found[0] === 'missed' ? await placeNew(parts, submission, id) : found;
    if (made === 'queued') await deliver(parts, id);
    const job = await parts.jobs.get(submission.account, jobId);
    return { job, cached: made === 'cached', joined: made === 'joined' };
  } finally {
    await parts.files.remove(files.media);
    if (files.audio) await parts.files.remove(files.audio);
  }
};

const placeNew = async (parts: SubmitParts, submission: Submission, id: string) => {
  const { files } = parts;
  const { media, audio } = submission.files;
  try {
    // Before the record: a worker may start as soon as that exists.
    await files.keepInput(media, id);
    if (audio) await files.keepInput(audio, id, 'audio');
    const said = await place(parts, submission, id, 'new');
    if (said[0] === 'missed') throw new Error('a new job was asked for, not an earlier one');
    if (said[0] === 'cached' || said[0] === 'joined') await files.removeInputs(id);
    return said;
  } catch (error) {
    // After any other error the job may exist all the same; the sweep knows.
    if (error instanceof Failure) await files.removeInputs(id);
    throw error;
  }
};

const deliver = async ({ queue, log }: SubmitParts, id: string): Promise<void> => {
  try {
    await queue.deliver({ id, dispatch: 1 });
  } catch (error) {
    // The job is made and the caller is told so: a worker finds it when it looks at what is due.
    log.warn({ job_id: id, err: error }, 'a job could not be given to the queue yet');
  }
};
