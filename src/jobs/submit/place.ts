import { z } from 'zod';
import { monthOf, type Quote, quote } from '../../accounts/tiers.ts';
import type { Config } from '../../config.ts';
import { Failure } from '../../errors.ts';
import { script } from '../../redis/script.ts';
import { firstJobId } from '../record/id.ts';
import { RECORD_TTL_MS } from '../record/settings.ts';
import { fingerprint } from './fingerprint.ts';
import { type Claim, KEPT_MS } from './idempotency.ts';
import type { Callback, Order, Submission, SubmitParts } from './submission.ts';

const Made = z.enum(['existed', 'cached', 'joined', 'queued']);
const placeJob = script(
  new URL('../scripts/submit.lua', import.meta.url),
  z.union([
    z.tuple([Made, z.string(), z.array(z.string())]),
    z.tuple([
      z.enum(['account_full', 'bytes_full', 'queue_full', 'repriced', 'short', 'callbacks_full']),
      z.number(),
    ]),
    z.tuple([z.literal('unseen'), z.string()]),
    z.tuple([z.literal('missed')]),
    z.tuple([z.literal('closed')]),
    z.tuple([z.literal('unclaimed')]),
  ]),
);

/** How an order was placed, and in which job; its record as names and values in turn. */
export type Placed = readonly [how: z.infer<typeof Made>, jobId: string, record: readonly string[]];

/** How often a release is chosen again: an operator would have to unload one each time. */
const CHOICES = 10;

/**
 * A picture that is expected to take longer waits for a usual place: the next ones would wait behind it. Not less: what is
 * expected follows small pictures, whose time is mostly fixed, and beside long jobs each takes several times as long.
 */
const QUICK_MS = 300_000;

/** Few records are larger, as those with a speaker's box for each frame; of these fewer are remembered. */
const LARGE_BYTES = 8 * 1024;
const LARGE_RECORDS = 200;

/** Each is up to 11 kB and kept until the job ends. */
const MOST_CALLBACKS = 100;

/**
 * Finds an order's work among what was done before, or is being done: a new record of a cached result under `id`, or
 * the running job that it joins. Null when there is none. Failure idempotency_in_progress.
 */
export const placeReused = async (
  parts: SubmitParts,
  order: Order,
  id: string,
): Promise<Placed | null> => {
  const ask = { ...askOf(order, id, parts.config), want: 'reuse' };
  const said = await place(parts, ask, recordOf(order));
  switch (said[0]) {
    case 'missed':
      return null;
    case 'unclaimed':
      throw new Failure('idempotency_in_progress');
    case 'callbacks_full':
      throw callbacksFull(said[1]);
    case 'cached':
    case 'joined':
    case 'existed':
      return said;
    default:
      throw new Error(`an order that only looks for earlier work was told "${said[0]}"`);
  }
};

/**
 * Makes a submission's job, in one step with its price, unless the same work appeared meanwhile. A price that no longer
 * holds is taken again. Failure insufficient_credits | concurrency_limited | queue_full | idempotency_in_progress |
 * model_unavailable.
 */
export const placeNew = async (
  parts: SubmitParts,
  submission: Submission,
  id: string,
): Promise<Placed> => {
  const { account, inputBytes: bytes } = submission;
  const { config, ledger } = parts;
  let order = submission;
  let choices = 1;
  for (;;) {
    const month = monthOf(Date.now());
    const used = await ledger.usage(account, month);
    const price = quote(submission.price, used, config.prices);
    const ask = {
      ...askOf(order, id, config),
      want: 'new',
      month,
      bytes,
      ...(submission.quick && { quick_ms: QUICK_MS }),
      ...priceFields(price),
      ...limitsOf(config),
    };
    const said = await place(parts, ask, fullRecordOf(order));
    switch (said[0]) {
      case 'repriced':
        continue;
      case 'closed':
        if (choices === CHOICES)
          throw new Failure('model_unavailable', { model: order.options.model });
        choices += 1;
        order = { ...order, chosen: await submission.rechoose() };
        continue;
      case 'missed':
        throw new Error('a new job was asked for, not an earlier one');
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
          detail: `The unfinished jobs of an account may hold at most ${config.jobs.accountQueuedBytes} bytes of media; this account's hold ${said[1]}, and the new job has ${bytes}. Try again when one has finished.`,
        });
      case 'queue_full':
        throw new Failure('queue_full', { waiting: said[1] });
      case 'unclaimed':
        throw new Failure('idempotency_in_progress');
      case 'callbacks_full':
        throw callbacksFull(said[1]);
      default:
        return said;
    }
  }
};

/** One step of submit.lua, asked again while the cache names a job whose result was not seen yet. */
const place = async (
  { stores, cached }: SubmitParts,
  ask: ReturnType<typeof askOf>,
  record: ReturnType<typeof recordOf>,
) => {
  const text = JSON.stringify(record);
  let seen = await cached.seen(ask.fingerprint);
  for (;;) {
    const said = await placeJob(stores, JSON.stringify({ ...ask, seen }), text);
    if (said[0] !== 'unseen') return said;
    seen = await cached.look(ask.fingerprint, said[1]);
  }
};

const callbacksFull = (told: number): Failure =>
  new Failure('concurrency_limited', {
    detail: `The same work is being done for ${told} requests that each have metadata or a webhook_url, the limit. Try again when it has finished, or without both.`,
  });

/** What submit.lua needs for every order. */
const askOf = (
  { account, identity, signedBy, idempotency, chosen, callback }: Order,
  id: string,
  { jobs }: Config,
) => ({
  id,
  account,
  release: chosen.release,
  fingerprint: fingerprint(identity, chosen.modelVersion, signedBy),
  account_records: jobs.accountRecords,
  large_bytes: LARGE_BYTES,
  large_records: LARGE_RECORDS,
  oldest: firstJobId(Date.now() - 2 * RECORD_TTL_MS),
  record_ttl_ms: RECORD_TTL_MS,
  ...claimOf(idempotency),
  ...callbackOf(callback),
  most_callbacks: MOST_CALLBACKS,
});

const priceFields = ({ credits, list, lines, validFor }: Quote) => ({
  credits,
  list,
  lines: JSON.stringify(lines),
  used_from: validFor.from,
  used_to: validFor.to,
});

const limitsOf = ({ jobs }: Config) => ({
  account_queued: jobs.accountQueued,
  account_bytes: jobs.accountQueuedBytes,
  queue_limit: jobs.queueLimit,
});

/** As text, which the script only hands on. */
const callbackOf = (callback: Callback | undefined) =>
  callback && { callback: JSON.stringify(callback) };

const claimOf = (claim: Claim | undefined) =>
  claim && { idempotency: { ...claim, ttl_ms: KEPT_MS } };

/** What a record holds besides what the script decides; see `record/record.ts`. */
const recordOf = ({
  kind,
  requestId,
  options,
  chosen,
  identity,
  traceparent,
  callback,
}: Order) => ({
  kind,
  identity,
  metadata: JSON.stringify(callback?.metadata ?? {}),
  request_id: requestId,
  traceparent: traceparent ?? '',
  model: options.model,
  model_version: chosen.modelVersion,
  release: chosen.release,
  mirror: chosen.mirror,
  canary: chosen.canary ? '1' : '',
  pinned: chosen.pinned ? '1' : '',
  options: JSON.stringify(options),
});

const fullRecordOf = (submission: Submission) => ({
  ...recordOf(submission),
  input: JSON.stringify(submission.input),
  found: JSON.stringify(submission.found),
  input_bytes: String(submission.inputBytes),
});
