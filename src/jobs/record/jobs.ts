import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { sharedInTurn } from '../../async/share.ts';
import { JobStatus } from '../../contract/job.ts';
import { Failure, unknownCursor } from '../../errors.ts';
import { type Redises, script } from '../../redis/script.ts';
import type { Files } from '../../storage/files.ts';
import { firstJobId } from './id.ts';
import { isOver, type JobRecord, type ReadRecord } from './record.ts';
import { RECORD_TTL_MS } from './settings.ts';

export type JobQuery = {
  readonly status?: JobStatus | undefined;
  readonly kind?: string | undefined;
  readonly limit: number;
  readonly starting_after?: string | undefined;
  /** The id of the only job that may be listed; null: none may. */
  readonly only?: string | null | undefined;
};
type JobPage = { readonly data: JobRecord[]; readonly has_more: boolean };
export type Jobs = ReturnType<typeof openJobs>;

const cancelJob = script(new URL('../scripts/cancel.lua', import.meta.url), z.string());
const eraseJob = script(new URL('../scripts/erase.lua', import.meta.url), z.string());
const placeInQueue = script(
  new URL('../scripts/position.lua', import.meta.url),
  z.tuple([z.number(), z.number()]),
);

/** The most accounts that are looked at for a job's place in the queue: half a millisecond of Redis. */
const MOST_ACCOUNTS = 200;
/** The most jobs ahead, and running ones, whose time is looked up for when a job will start: as long again. */
const MOST_JOBS = 50;

/** Where a job stands in the queue. */
export type Place = {
  /** Among all jobs that wait, where 1 is next. */
  readonly position: number;
  /** Seconds until it will probably start (decision 197); null where that is not known. */
  readonly etaSeconds: number | null;
};

/** Reading, listing, cancelling and erasing jobs. */
export const openJobs = (stores: Redises, files: Files, read: ReadRecord) => {
  const { redis, prefix } = stores;

  const key = (id: string) => `${prefix}:job:${id}`;

  /** Failure record_unreadable for a hash without the job's id and account. */
  const readable = (fields: Readonly<Record<string, string>>): JobRecord => {
    const job = read(fields);
    if (!job) throw new Failure('record_unreadable', { reason: 'its id or account is missing' });
    return job;
  };

  /** Null when there is none, or its record has expired. Failure record_unreadable. */
  const find = async (id: string): Promise<JobRecord | null> => {
    const fields = await redis.hgetall(key(id));
    return Object.keys(fields).length === 0 ? null : readable(fields);
  };

  /** A record as a script answers it, names and values in turn. Failure record_unreadable. */
  const readFlat = (flat: readonly string[]): JobRecord => {
    const fields: Record<string, string> = {};
    for (let at = 0; at < flat.length; at += 2) fields[flat[at] ?? ''] = flat[at + 1] ?? '';
    return readable(fields);
  };

  /**
   * Failure not_found, also for another account's job; record_unreadable. Hundreds may wait for the end of one job: it is
   * read once for all of them.
   */
  const get = sharedInTurn(
    (account, id) => `${account} ${id}`,
    async (account: string, id: string): Promise<JobRecord> => {
      const fields = await redis.hgetall(key(id));
      if (fields.account !== account) throw new Failure('not_found', { what: 'job with this id' });
      return readable(fields);
    },
  );

  /** Reads nothing else of the record; undefined when it has no valid status. */
  const statusOf = async (id: string): Promise<JobStatus | undefined> =>
    JobStatus.safeParse(await redis.hget(key(id), 'status')).data;
  const isQueued = async (id: string): Promise<boolean> => (await statusOf(id)) === 'queued';
  /** Whether it is queued or processing. */
  const isUnfinished = async (id: string): Promise<boolean> => {
    const status = await statusOf(id);
    return status !== undefined && !isOver(status);
  };

  /** Null when the job is not queued. */
  const place = async (job: JobRecord): Promise<Place | null> => {
    if (job.status !== 'queued') return null;
    const [position, ms] = await placeInQueue(stores, job.id, MOST_ACCOUNTS, MOST_JOBS);
    if (position === 0) return null;
    return { position, etaSeconds: ms < 0 ? null : Math.ceil(ms / 1000) };
  };

  /** The job; null for a record that this version cannot read, which `list` leaves out. */
  const findReadable = async (id: string): Promise<JobRecord | null> => {
    try {
      return await find(id);
    } catch (error) {
      if (error instanceof Failure && error.code === 'record_unreadable') return null;
      throw error;
    }
  };

  /** Newest first. Failure validation_failed when `starting_after` is no job of the account. */
  const list = async (account: string, query: JobQuery): Promise<JobPage> => {
    const index = `${prefix}:jobs:${account}`;
    await redis.zremrangebylex(index, '-', `(${firstJobId(Date.now() - 2 * RECORD_TTL_MS)}`);
    const data: JobRecord[] = [];
    const after = query.starting_after;
    if (after !== undefined && (await redis.zscore(index, after)) === null) {
      throw unknownCursor('a job of the account');
    }
    const { only } = query;
    if (only !== undefined) {
      const job = only === null ? null : await findReadable(only);
      const isNext = job !== null && (after === undefined || job.id < after) && matches(job, query);
      return { data: isNext ? [job] : [], has_more: false };
    }
    let below = after === undefined ? '+' : `(${after}`;
    for (;;) {
      const ids = await redis.zrevrangebylex(index, below, '-', 'LIMIT', 0, PAGE);
      for (const job of await Promise.all(ids.map(findReadable))) {
        if (job === null || !matches(job, query)) continue;
        if (data.length === query.limit) return { data, has_more: true };
        data.push(job);
      }
      const last = ids.at(-1);
      if (last === undefined || ids.length < PAGE) return { data, has_more: false };
      below = `(${last}`;
    }
  };

  /** One caller leaves the job; the answer is that of cancel.lua. Failure not_found. */
  const leave = async (account: string, id: string): Promise<string> => {
    const was = await cancelJob(stores, id, account, randomUUID(), RECORD_TTL_MS);
    if (was === '') throw new Failure('not_found', { what: 'job with this id' });
    if (was === 'queued') await files.removeJob(id);
    return was;
  };

  /**
   * One caller leaves the job, which goes on as long as other callers share it. When the last one leaves, a queued job
   * ends at once, and a running one when its worker stops. From then on a further call changes nothing.
   */
  const cancel = async (account: string, id: string): Promise<JobRecord> => {
    await leave(account, id);
    return get(account, id);
  };

  /**
   * Erases the media of a finished job now; the record stays. From an unfinished job one caller leaves, as by
   * `cancel`.
   */
  const erase = async (account: string, id: string): Promise<JobRecord> => {
    const was = await leave(account, id);
    if (was === 'shared') return get(account, id);
    const file = await eraseJob(stores, id);
    // A running attempt removes the files itself when it stops.
    if (was !== 'processing') await files.removeJob(id);
    if (file !== '') await files.removeResult(file);
    return get(account, id);
  };

  /** Jobs of all accounts by status. */
  const counts = async () => {
    const [queued, processing] = await Promise.all([
      redis.zcard(`${prefix}:queued`),
      redis.scard(`${prefix}:processing`),
    ]);
    return { queued, processing };
  };

  /** When the oldest waiting job was made (ms); null while none waits. */
  const oldestQueuedAtMs = async (): Promise<number | null> => {
    const [, made] = await redis.zrange(`${prefix}:queued`, 0, 0, 'WITHSCORES');
    return made === undefined ? null : Number(made);
  };

  return {
    find,
    get,
    read: readFlat,
    isQueued,
    isUnfinished,
    place,
    list,
    cancel,
    erase,
    counts,
    oldestQueuedAtMs,
  };
};

const PAGE = 100;

const matches = (job: JobRecord, { status, kind }: JobQuery): boolean =>
  (status === undefined || job.status === status) && (kind === undefined || job.kind === kind);
