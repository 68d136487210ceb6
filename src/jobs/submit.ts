import type { Config } from '../config.ts';
import type { JobInput } from '../contract/job.ts';
import type { UpscaleOptions } from '../contract/upscale.ts';
import type { Ledger } from '../credits/ledger.ts';
import type { Work } from '../credits/price.ts';
import { Failure } from '../errors.ts';
import type { Files } from '../files/store.ts';
import type { Log } from '../log.ts';
import type { Redises } from '../redis.ts';
import { newJobId } from './id.ts';
import type { Claim } from './idempotency.ts';
import type { JobRecord } from './job.ts';
import { place } from './place.ts';
import type { Queue } from './queue.ts';
import type { Jobs } from './store.ts';

export type SubmitParts = {
  readonly stores: Redises;
  readonly config: Config;
  readonly log: Log;
  readonly files: Files;
  readonly ledger: Ledger;
  readonly jobs: Jobs;
  readonly queue: Queue;
};

export type Submission = {
  readonly account: string;
  readonly requestId: string;
  readonly options: UpscaleOptions;
  readonly modelVersion: string;
  /** The file is moved in or removed, also when this fails. */
  readonly media: JobInput & { readonly path: string };
  /** What the price depends on. */
  readonly work: Work;
  readonly idempotency?: Claim | undefined;
};

export type Submitted = {
  readonly job: JobRecord;
  /** Made from an earlier result. */
  readonly cached: boolean;
  /** The job of an identical request that has not ended. */
  readonly joined: boolean;
};

/** The use case behind POST. Failure insufficient_credits | concurrency_limited | queue_full. */
export const submit = async (parts: SubmitParts, submission: Submission): Promise<Submitted> => {
  const { media } = submission;
  const id = newJobId(Date.now());
  try {
    const found = await place(parts, submission, id, 'reuse');
    const [made, jobId] = found[0] === 'missed' ? await placeNew(parts, submission, id) : found;
    if (made === 'queued') await deliver(parts, id);
    const job = await parts.jobs.get(submission.account, jobId);
    return { job, cached: made === 'cached', joined: made === 'joined' };
  } finally {
    await parts.files.remove(media.path);
  }
};

const placeNew = async (parts: SubmitParts, submission: Submission, id: string) => {
  const { files } = parts;
  // Before the record: a worker may start as soon as that exists.
  await files.keepInput(submission.media.path, id);
  try {
    const said = await place(parts, submission, id, 'new');
    if (said[0] === 'missed') throw new Error('a new job was asked for, not an earlier one');
    if (said[0] === 'cached' || said[0] === 'joined') await files.remove(files.inputPath(id));
    return said;
  } catch (error) {
    // After any other error the job may exist all the same; the sweep knows.
    if (error instanceof Failure) await files.remove(files.inputPath(id));
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
