import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { JobKind, JobStatus } from '../../contract/job.ts';
import { Failure } from '../../errors.ts';
import { type Redises, script } from '../../redis.ts';
import type { Files } from '../../storage/files.ts';
import { firstJobId } from './id.ts';
import { isOver, JobRecord } from './record.ts';
import { endArguments, RECORD_TTL_MS } from './settings.ts';

export type JobQuery = {
  readonly status?: JobStatus | undefined;
  readonly kind?: JobKind | undefined;
  readonly limit: number;
  readonly starting_after?: string | undefined;
};
export type JobPage = { readonly data: JobRecord[]; readonly has_more: boolean };
export type Jobs = ReturnType<typeof openJobs>;

const cancelJob = script(new URL('../scripts/cancel.lua', import.meta.url), z.string());
const eraseJob = script(new URL('../scripts/erase.lua', import.meta.url), z.string());

/** Jobs as their callers see and stop them. */
export const openJobs = (stores: Redises, config: Config, files: Files) => {
  const { redis, prefix } = stores;
  const end = endArguments(config);

  /** Null when there is none, or none any more. */
  const find = async (id: string): Promise<JobRecord | null> => {
    const fields = await redis.hgetall(`${prefix}:job:${id}`);
    return Object.keys(fields).length === 0 ? null : JobRecord.parse(fields);
  };

  /** Failure not_found, for another account's job as well. */
  const get = async (account: string, id: string): Promise<JobRecord> => {
    const job = await find(id);
    if (job?.account !== account) throw new Failure('not_found', { what: 'job with this id' });
    return job;
  };

  /** 1 is next; null when the job does not wait. */
  const position = async (job: JobRecord): Promise<number | null> => {
    if (job.status !== 'queued') return null;
    const rank = await redis.zrank(`${prefix}:queued`, job.id);
    return rank === null ? null : rank + 1;
  };

  /** Newest first. */
  const list = async (account: string, query: JobQuery): Promise<JobPage> => {
    const index = `${prefix}:jobs:${account}`;
    await redis.zremrangebylex(index, '-', `(${firstJobId(Date.now() - 2 * RECORD_TTL_MS)}`);
    const data: JobRecord[] = [];
    let below = query.starting_after === undefined ? '+' : `(${query.starting_after}`;
    for (;;) {
      const ids = await redis.zrevrangebylex(index, below, '-', 'LIMIT', 0, PAGE);
      for (const job of await Promise.all(ids.map(find))) {
        if (job === null || !matches(job, query)) continue;
        if (data.length === query.limit) return { data, has_more: true };
        data.push(job);
      }
      const last = ids.at(-1);
      if (last === undefined || ids.length < PAGE) return { data, has_more: false };
      below = `(${last}`;
    }
  };

  /** A waiting job ends at once, a running one when its worker stops; again changes nothing. */
  const cancel = async (account: string, id: string): Promise<JobRecord> => {
    const was = await cancelJob(stores, id, account, ...end);
    if (was === 'queued') await files.removeJob(id);
    return get(account, id);
  };

  /** Erases the media now, of an unfinished job by cancelling it; the record stays. */
  const erase = async (account: string, id: string): Promise<JobRecord> => {
    const { status } = await cancel(account, id);
    const file = await eraseJob(stores, id);
    if (isOver(status)) await files.removeJob(id);
    if (file !== '') await files.removeResult(file);
    return get(account, id);
  };

  /** Of all accounts. */
  const counts = async () => {
    const [queued, processing] = await Promise.all([
      redis.zcard(`${prefix}:queued`),
      redis.scard(`${prefix}:processing`),
    ]);
    return { queued, processing };
  };

  return { find, get, position, list, cancel, erase, counts };
};

const PAGE = 100;

const matches = (job: JobRecord, { status, kind }: JobQuery): boolean =>
  (status === undefined || job.status === status) && (kind === undefined || job.kind === kind);
