import type { Ledger } from '../../accounts/ledger.ts';
import type { Work } from '../../accounts/price.ts';
import type { Config } from '../../config.ts';
import type { JobInput, LipsyncInput } from '../../contract/job.ts';
import type { Log } from '../../log.ts';
import type { Inputs } from '../../operations/enhance.ts';
import type { LipsyncOptions } from '../../operations/lip-sync/request.ts';
import type { UpscaleOptions } from '../../operations/upscale/request.ts';
import type { Redises } from '../../redis.ts';
import type { Files } from '../../storage/files.ts';
import type { Queue } from '../queue.ts';
import type { Jobs } from '../record/jobs.ts';
import type { Claim } from './idempotency.ts';

/** What `submit` drives. */
export type SubmitParts = {
  readonly stores: Redises;
  readonly config: Config;
  readonly log: Log;
  readonly files: Files;
  readonly ledger: Ledger;
  readonly jobs: Jobs;
  readonly queue: Queue;
};

/** What is to be done, with what. */
export type Order =
  | { readonly kind: 'upscale'; readonly options: UpscaleOptions; readonly input: JobInput }
  | { readonly kind: 'lipsync'; readonly options: LipsyncOptions; readonly input: LipsyncInput };

/** An order with its media: checked, and ready to be priced. */
export type PreparedOrder = Order & {
  readonly modelVersion: string;
  /** `submit` moves them in or removes them, also when it fails. */
  readonly files: Inputs;
  /** What the price depends on. */
  readonly work: Work;
};

export type Submission = PreparedOrder & {
  readonly account: string;
  readonly requestId: string;
  readonly idempotency?: Claim | undefined;
};
