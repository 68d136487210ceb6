import type { Ledger } from '../../accounts/ledger.ts';
import type { ListPrice } from '../../accounts/list-price.ts';
import type { Config } from '../../config.ts';
import type { JobInput } from '../../contract/job.ts';
import type { EventType, Metadata } from '../../contract/webhooks.ts';
import type { Log } from '../../log.ts';
import type { Choice } from '../../models/choose.ts';
import type { InputKind, Options } from '../../operations/operation.ts';
import type { Redises } from '../../redis/script.ts';
import type { Files } from '../../storage/files.ts';
import type { Queue } from '../queue.ts';
import type { Jobs } from '../record/jobs.ts';
import type { CachedResults } from './cached-results.ts';
import type { Claim } from './idempotency.ts';

/** What `submit` drives. */
export type SubmitParts = {
  readonly stores: Redises;
  readonly config: Config;
  readonly log: Log;
  readonly files: Files;
  readonly ledger: Ledger;
  readonly jobs: Jobs;
  readonly cached: CachedResults;
  readonly queue: Queue;
};

/** Belongs to the request and not to the work: requests that differ only in this are the same work. */
export type Callback = {
  readonly metadata: Metadata;
  /** Where the job's events are sent; null: only to the account's endpoints. */
  readonly url: string | null;
  readonly events: readonly EventType[];
};

/** What is to be done, with what: known before anything was probed, and enough to find the same work done before. */
export type Order = {
  readonly account: string;
  readonly requestId: string;
  /** The span of the request that made the job, which its attempts continue. */
  readonly traceparent?: string | undefined;
  readonly idempotency?: Claim | undefined;
  readonly callback?: Callback | undefined;
  /** The operation's. */
  readonly kind: string;
  readonly options: Options;
  /** The release that is to do it; see `models/choose.ts`. */
  readonly chosen: Choice;
  readonly inputKind: InputKind;
  /** See `fingerprint.ts`. */
  readonly identity: string;
  /** Whose content credentials its result will carry; '' or absent: none. */
  readonly signedBy?: string | undefined;
};

/** An order whose media was looked at and found good. */
export type Submission = Order & {
  readonly input: JobInput;
  /** What probing found. */
  readonly found: unknown;
  readonly price: ListPrice;
  /** It is of a kind that takes seconds as a rule, and may run beside long jobs (decision 271). */
  readonly quick: boolean;
  /** Paths by role; `submit` moves the files in or removes them, also when it fails. */
  readonly files: Readonly<Record<string, string>>;
  /** Bytes of all media that the caller sent for it. */
  readonly inputBytes: number;
  /** Chooses again, where the chosen release was unloaded before the job was made. Failure model_unavailable. */
  readonly rechoose: () => Promise<Choice>;
};
