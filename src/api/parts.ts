import type { Redis } from 'ioredis';
import type { Config } from '../config.ts';
import type { Balance } from '../contract/credits.ts';
import type { Job, JobListQuery } from '../contract/job.ts';
import type { IssuedKey, Key, Scope } from '../contract/keys.ts';
import type { UpscaleModel } from '../contract/upscale.ts';
import type { Log } from '../log.ts';

/** Whom a request is made for. */
export type Caller = {
  readonly account: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
};

/** What is known of a model right now; `release` and `engine` are null until the model answered once. */
export type ModelState = {
  readonly id: UpscaleModel;
  readonly ready: boolean;
  readonly release: string | null;
  readonly engine: string | null;
};

/** Everything that the API drives, opened and closed by `main.ts`. */
export type Parts = {
  readonly config: Config;
  readonly log: Log;
  readonly redis: Redis;
  readonly models: {
    describe(): Promise<readonly ModelState[]>;
  };
  /** Aborted when the process begins to shut down: no new jobs, and waiting callers get 202. */
  readonly draining: AbortSignal;
  // The parts of credits, jobs, files and media join as they are written; these are their shapes as seen from here:
  readonly keys: {
    lookup(key: string): Promise<Caller>;
    create(request: {
      account: string;
      scopes: readonly Scope[];
      expiresInSeconds?: number;
    }): Promise<IssuedKey>;
    list(account?: string): Promise<Key[]>;
    rotate(id: string, overlapSeconds: number): Promise<IssuedKey>;
    revoke(id: string): Promise<Key>;
  };
  readonly ledger: {
    balance(account: string): Promise<Balance>;
  };
  readonly jobs: {
    get(account: string, id: string): Promise<Job>;
    list(account: string, query: JobListQuery): Promise<{ data: Job[]; has_more: boolean }>;
  };
};
