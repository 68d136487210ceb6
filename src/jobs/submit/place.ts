import { z } from 'zod';
import { monthOf, type Quote, quote } from '../../accounts/price.ts';
import type { Config } from '../../config.ts';
import { Failure } from '../../errors.ts';
import { script } from '../../redis.ts';
import { firstJobId } from '../record/id.ts';
import { RECORD_TTL_MS } from '../record/settings.ts';
import { dropIfGone } from './cached-results.ts';
import { fingerprint } from './fingerprint.ts';
import { type Claim, KEPT_MS } from './idempotency.ts';
import type { Submission, SubmitParts } from './submission.ts';

const Made = z.enum(['existed', 'cached', 'joined', 'waiting', 'queued']);
const placeJob = script(
  new URL('../scripts/submit.lua', import.meta.url),
  z.union([
    z.tuple([Made, z.string()]),
    z.tuple([
      z.enum(['account_full', 'bytes_full', 'queue_full', 'repriced', 'short']),
      z.number(),
    ]),
    z.tuple([z.literal('missed')]),
    z.tuple([z.literal('unclaimed')]),
  ]),
);

/** Few records are larger, as those with a speaker's box for each frame; of these fewer are remembered. */
const LARGE_BYTES = 8 * 1024;
const LARGE_RECORDS = 200;

/** By when Bull must have a new job; until then that is the business of the process that made it. */
const DELIVER_MS = 1000;

/**
 * Finds a submission's job among the earlier ones, or makes it, in one step with its price; 'missed' when only an
 * earlier one was wanted and there is none. A price that no longer holds is taken again.
 * Failure insufficient_credits | concurrency_limited | queue_full | idempotency_in_progress.
 */
export const place = async (
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
    const bytes = bytesOf(submission);
    const ask = {
      id,
      want,
      fingerprint: print,
      month,
      bytes,
      ...priceFields(price),
      ...limitsOf(config),
    };
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
      case 'bytes_full':
        throw new Failure('concurrency_limited', {
          detail: `The account's jobs hold ${said[1]} bytes of media; with this one's ${bytes} they would hold more than ${config.jobs.accountQueuedBytes}.`,
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

const fingerprintOf = (submission: Submission): string => {
  const { account, modelVersion, input } = submission;
  const common = { account, modelVersion, sha256: input.sha256, mediaKind: input.kind };
  if (submission.kind === 'upscale') {
    return fingerprint({ ...common, kind: 'upscale', options: submission.options });
  }
  const { options } = submission;
  const audioSha256 = submission.input.audio.sha256;
  return fingerprint({ ...common, kind: 'lipsync', options, audioSha256 });
};

const bytesOf = ({ kind, input }: Submission): number =>
  input.bytes + (kind === 'lipsync' ? input.audio.bytes : 0);

const priceFields = ({ credits, list, lines, validFor }: Quote) => ({
  ...{ credits, list, lines: JSON.stringify(lines) },
  ...{ used_from: validFor.from, used_to: validFor.to },
});

const limitsOf = ({ jobs }: Config) => ({
  account_queued: jobs.accountQueued,
  account_bytes: jobs.accountQueuedBytes,
  account_records: jobs.accountRecords,
  large_bytes: LARGE_BYTES,
  large_records: LARGE_RECORDS,
  oldest: firstJobId(Date.now() - 2 * RECORD_TTL_MS),
  queue_limit: jobs.queueLimit,
  running_limit: jobs.accountRunning,
  record_ttl_ms: RECORD_TTL_MS,
  deliver_ms: DELIVER_MS,
});

const claimOf = (claim: Claim | undefined) =>
  claim && { idempotency: { ...claim, ttl_ms: KEPT_MS } };

/** What a new record holds besides what the script decides; see JobRecord. */
const recordOf = (submission: Submission) => {
  const { kind, requestId, options, modelVersion, input } = submission;
  return {
    kind,
    request_id: requestId,
    model: options.model,
    model_version: modelVersion,
    input: JSON.stringify(input),
    options: JSON.stringify(options),
    input_bytes: String(bytesOf(submission)),
  };
};
