import type Bull from 'bull';
import type { Keys } from '../accounts/keys.ts';
import type { Ledger } from '../accounts/ledger.ts';
import type { Turns } from '../async/turns.ts';
import type { Config } from '../config.ts';
import type { Scope } from '../contract/keys.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Jobs } from '../jobs/record/jobs.ts';
import type { Signals } from '../jobs/record/signals.ts';
import type { CachedResults } from '../jobs/submit/cached-results.ts';
import type { Idempotency } from '../jobs/submit/idempotency.ts';
import type { Log } from '../log.ts';
import type { fetchTo } from '../media/fetch/fetch-to.ts';
import type { identify } from '../media/probe/identify.ts';
import type { Probed } from '../media/probe/probed.ts';
import type { Probers } from '../media/probe/probers.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { ModelState } from '../models/catalogue.ts';
import type { Operate } from '../models/operate.ts';
import type { Registry } from '../models/registry.ts';
import type { Operation } from '../operations/operation.ts';
import type { Redises } from '../redis/script.ts';
import type { Files } from '../storage/files.ts';
import type { Links } from '../storage/links.ts';
import type { Uploads } from '../storage/uploads.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { Page } from './pages/bundle.ts';

type TritonServer = { readonly name: string; readonly state: () => { readonly healthy: boolean } };

/** Whom a request is made for. */
export type Caller = {
  readonly account: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
};

/** The caller with ADMIN_KEY, which belongs to no account: it has the scope `admin` only, and makes no jobs. */
export const operator: Caller = { account: '', keyId: 'operator', scopes: ['admin'] };

/** Everything that the API drives, opened and closed by `main.ts`. */
export type Parts = {
  readonly operations: readonly Operation[];
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly stores: Redises;
  readonly keys: Keys;
  readonly ledger: Ledger;
  readonly jobs: Jobs;
  readonly cached: CachedResults;
  readonly signals: Signals;
  readonly queue: Queue;
  /** Read by the pages for operators. */
  readonly bullQueues: { queues(): readonly Bull.Queue[] };
  readonly idempotency: Idempotency;
  readonly files: Files;
  readonly uploads: Uploads;
  readonly links: Links;
  readonly webhooks: Webhooks;
  readonly fetchTo: typeof fetchTo;
  readonly identify: typeof identify;
  /** Limits how many decoders run at a time, with a fair turn for each account. */
  readonly turns: Turns;
  /** Turns on the same places for requests that make no job, such as estimates. */
  readonly quickTurns: Turns;
  /** Processes that look at files: one for each turn. */
  readonly probers: Probers;
  /** What they found recently, by operation, kind and SHA-256. */
  readonly probed: Probed;
  readonly models: {
    /** Every model of every operation. Never throws: what does not answer is not ready. */
    describe(): Promise<readonly ModelState[]>;
  };
  /** What operators do with releases of models. */
  readonly operate: Operate;
  readonly registry: Registry;
  /** The Triton servers, in use or not. */
  readonly replicas: { list(): readonly TritonServer[] };
  /** The playground, as it is sent. */
  readonly page: Page;
  /** Aborted when the process begins to shut down: no new jobs, and callers that wait get their 202. */
  readonly draining: AbortSignal;
  /** Aborted API_DRAIN_SECONDS later, or when nothing is under way any more: what still goes on is cut off. */
  readonly closing: AbortSignal;
};
