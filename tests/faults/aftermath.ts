/** What has to hold after every fault, as soon as the jobs have ended: the same for all tests that kill or starve a part. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import type { Job } from '../../src/contract/job.ts';
import { openFiles } from '../../src/storage/files.ts';
import { type Caller, ended, type RealService } from '../real/service.ts';

/** What a caller was given, and all jobs that it was told of, in any order. */
export type Told = { readonly granted: number; readonly ids: readonly string[] };

/**
 * Waits for the end of all jobs of a caller who is the only one at work, and returns them. Fails unless none was lost or
 * charged twice, no hold is left, the ledger verifies, callers are told the truth, and nothing else is left in Redis, in
 * Bull or on the disk.
 */
export const nothingLost = async (
  service: RealService,
  caller: Caller,
  { granted, ids }: Told,
): Promise<Job[]> => {
  const jobs: Job[] = [];
  for (const id of ids) jobs.push(await caller.until(id, ended));
  await toldTheTruth(caller, jobs);
  await paidOnce(service, caller, granted, jobs);
  await untilNothingIs('left in Redis', () => redisLeftovers(service));
  await untilNothingIs('left on the disk', () => filesLeft(service, jobs));
  return jobs;
};

const toldTheTruth = async (caller: Caller, jobs: readonly Job[]): Promise<void> => {
  const { data } = (await caller.http.get('/v1/jobs?limit=100')).data;
  const listed: string[] = data.map(({ id }: Job) => id);
  assert.equal(listed.sort(), jobs.map(({ id }) => id).sort(), 'the list has each job once');
  for (const { id, status, result, error } of jobs) {
    if (status === 'succeeded') {
      assert.ok(result, `${id} has no result`);
      const bytes = await caller.download(result.output_url);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      assert.equal([bytes.length, sha256], [result.bytes, result.sha256], `the result of ${id}`);
    } else {
      const code = status === 'canceled' ? 'job_canceled' : error?.code;
      const answer = await caller.http.get(`/v1/jobs/${id}/result`);
      assert.equal([answer.data.code, answer.data.charged], [code, 0], `${id} says why`);
    }
  }
};

/** By the account's balance, by its ledger, and by the service's own check of both. */
const paidOnce = async (
  { stores, audit }: RealService,
  caller: Caller,
  granted: number,
  jobs: readonly Job[],
): Promise<void> => {
  const charged = new Map(jobs.map(({ id, cost }) => [id, cost.charged]));
  for (const { id, status, cost } of jobs)
    assert.is(cost.charged, status === 'succeeded' ? cost.estimated : 0, id);
  const sum = [...charged.values()].reduce((all, one) => all + one, 0);
  const { balance, held } = await caller.balance();
  assert.equal({ balance, held }, { balance: granted - sum, held: 0 });
  const entries = await stores.redis.xrange(`${stores.prefix}:ledger:${caller.account}`, '-', '+');
  const captured = entries.map(([, fields]) => fields).filter((fields) => fields[1] === 'capture');
  const ids = captured.map((fields) => fields[3] ?? '');
  assert.equal(
    ids.sort(),
    jobs
      .filter(({ cost }) => cost.charged > 0)
      .map(({ id }) => id)
      .sort(),
  );
  const { differences } = await audit(caller.account);
  assert.equal(differences, []);
};

/** Of jobs that have ended nothing stays but records, results in the cache, and what expires within a minute. */
const redisLeftovers = async ({ stores }: RealService): Promise<string[]> => {
  const { redis, prefix } = stores;
  const keys: string[] = [];
  for await (const some of redis.scanStream({ match: `${prefix}:*`, count: 1000 }))
    for (const key of some) keys.push(String(key).slice(prefix.length + 1));
  const ofQueue =
    /^(queued|ready|running|holders|left|callbacks|inflight|due|processing|turns)(:|$)|^bull:jobs:((active|wait|delayed|paused|stalled)$|\d|job_)/;
  return keys.filter((key) => ofQueue.test(key));
};

/** Files that are neither results nor about to be swept; `results` has that of each job that has one. */
const filesLeft = async ({ config }: RealService, jobs: readonly Job[]): Promise<string[]> => {
  const files = await openFiles(config.files.dir, config.files);
  // What a killed API was receiving is removed when it has not changed for 20 minutes: as if these were over.
  await files.sweep(config.files.ttlMs, async () => true, Date.now() + 21 * 60_000);
  const inside = (folder: string) => {
    const path = join(config.files.dir, folder);
    return existsSync(path) ? readdirSync(path).map((name) => `${folder}/${name}`) : [];
  };
  const ids = jobs.filter(({ result }) => result !== null).map(({ id }) => id);
  const results = inside('results');
  const missing = ids.filter((id) => !results.some((name) => name.startsWith(`results/${id}.`)));
  const extra = results.filter(
    (name) => jobs.some(({ id }) => name.includes(id)) && !ids.some((id) => name.includes(id)),
  );
  const twice = ids.filter((id) => results.filter((name) => name.includes(id)).length > 1);
  return [
    ...['incoming', 'inputs', 'attempts'].flatMap(inside),
    ...extra,
    ...missing.map((id) => `${id} has no file`),
    ...twice.map((id) => `${id} has several files`),
  ];
};

const untilNothingIs = async (where: string, look: () => Promise<string[]>): Promise<void> => {
  for (const deadline = Date.now() + 20_000; ; await sleep(100)) {
    const left = await look();
    if (left.length === 0) return;
    assert.ok(Date.now() < deadline, `${where}: ${left.join(', ')}`);
  }
};
