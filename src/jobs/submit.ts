import { z } from 'zod';
import { fingerprint } from '../cache/fingerprint.ts';
import { dropIfGone } from '../cache/results.ts';
import type { Config } from '../config.ts';
import type { JobInput } from '../contract/job.ts';
import type { UpscaleOptions } from '../contract/upscale.ts';
import type { Ledger } from '../credits/ledger.ts';
import { monthOf, type Quote, quote, type Work } from '../credits/price.ts';
import { Failure } from '../errors.ts';
import type { Files } from '../files/store.ts';
import type { Log } from '../log.ts';
import { type Redises, script } from '../redis.ts';
import { newJobId } from './id.ts';
import { type Claim, KEPT_MS } from './idempotency.ts';
import type { JobRecord } from './job.ts';
import type { Queue } from './queue.ts';
import { RECORD_TTL_MS } from './settings.ts';
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

const Made = z.enum(['existed', 'cached', 'joined', 'waiting', 'queued']);
const placeJob = script(
  new URL('scripts/submit.lua', import.meta.url),
  z.union([
    z.tuple([Made, z.string()]),
    z.tuple([z.enum(['account_full', 'queue_full', 'repriced', 'short']), z.number()]),
    z.tuple([z.literal('missed')]),
    z.tuple([z.literal('unclaimed')]),
  ]),
);

/** By when Bull must have a new job; until then that is the business of the process that made it. */
const DELIVER_MS = 1000;

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

const place = async (
  { stores, config, files, ledger }: SubmitParts,
  submission: Submission,
  id: string,
  want: 'reuse' | 'new',
) => {
  const { account, work } = submission;
  const print = fingerprintOf(submission);
  await dropIfGone(stores, files, print);
  for (;;) {
    const month = monthOf(Date.now());
    const price = quote(work, await ledger.usage(account, month), config.prices);
    const ask = { id, want, fingerprint: print, month, ...priceFields(price), ...limitsOf(config) };
    const claim = claimOf(submission.idempotency);
    const said = await placeJob(
      stores,
      JSON.stringify({ ...ask, account, ...claim }),
      JSON.stringify(recordOf(submission)),
    );
    switch (said[0]) {
      case 'repriced':
        continue;
      case 'short':
        throw new Failure('insufficient_credits', {
          required_credits: price.credits,
          available_credits: said[1],
        });
      case 'account_full':
        throw new Failure('concurrency_limited', {
          queued: said[1],
          limit: config.jobs.accountQueued,
        });
      case 'queue_full':
        throw new Failure('queue_full', { waiting: said[1] });
      case 'unclaimed':
        throw new Failure('idempotency_in_progress');
      default:
        return said;
    }
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

const fingerprintOf = ({ account, options, media, modelVersion }: Submission): string =>
  fingerprint({
    ...{ account, kind: 'upscale', options, modelVersion },
    ...{ sha256: media.sha256, mediaKind: media.kind },
  });

const priceFields = ({ credits, list, lines, validFor }: Quote) => ({
  ...{ credits, list, lines: JSON.stringify(lines) },
  ...{ used_from: validFor.from, used_to: validFor.to },
});

const limitsOf = ({ jobs }: Config) => ({
  account_queued: jobs.accountQueued,
  queue_limit: jobs.queueLimit,
  running_limit: jobs.accountRunning,
  record_ttl_ms: RECORD_TTL_MS,
  deliver_ms: DELIVER_MS,
});

const claimOf = (claim: Claim | undefined) =>
  claim && { idempotency: { ...claim, ttl_ms: KEPT_MS } };

/** What a new record holds besides what the script decides; see JobRecord. */
const recordOf = ({ requestId, options, modelVersion, media }: Submission) => {
  const { path: _, ...input } = media;
  return {
    kind: 'upscale',
    request_id: requestId,
    model: options.model,
    model_version: modelVersion,
    input: JSON.stringify(input),
    options: JSON.stringify(options),
  };
};
