/**
 * How long Redis needs for the scripts of the queue when 1,000 accounts have 10,000 jobs waiting.
 * usage: npx tsx bench/turns.ts
 * With submissions (measured from here, so with the way to Redis): take, due, the place of a job.
 */
import { openAttempts } from '../src/jobs/run/attempts.ts';
import { freshPlace, openRig } from '../tests/jobs/rig.ts';
import { ownRedis } from '../tests/real/redis.ts';

const ACCOUNTS = 1000;
const JOBS = 10_000;
const redis = await ownRedis();
const rig = await openRig(freshPlace(redis.url), { QUEUE_LIMIT: String(JOBS) });
const attempts = openAttempts(rig.stores, rig.config, 60_000);

for (let account = 0; account < ACCOUNTS; account += 1)
  await rig.ledger.grant(`account ${account}`, 1000);
for (let from = 0; from < JOBS; from += 100) {
  const some = Array.from({ length: 100 }, (_, at) => from + at);
  await Promise.all(
    some.map((at) => rig.ask(`media ${at}`, { account: `account ${at % ACCOUNTS}` })),
  );
}

/** Microseconds of one call within Redis, by its own statistics of commands. */
const measured = async (what: string, times: number, call: (at: number) => Promise<unknown>) => {
  await call(0);
  await rig.redis.config('RESETSTAT');
  const from = performance.now();
  for (let at = 1; at <= times; at += 1) await call(at);
  const perCall = (performance.now() - from) / times;
  const stats = await rig.redis.info('commandstats');
  const inRedis = /cmdstat_evalsha:.*usec_per_call=([\d.]+)/.exec(stats)?.[1];
  console.log(
    `${what}: ${(Number(inRedis) / 1000).toFixed(2)} ms in Redis, ${perCall.toFixed(2)} ms from here`,
  );
};

const waiting = await rig.redis.zrange(`${rig.stores.prefix}:queued`, 0, -1);
const last = await rig.jobs.find(waiting.at(-1) ?? '');
if (!last) throw new Error('no job waits');
console.log(`${waiting.length} jobs of ${ACCOUNTS} accounts wait`);
await measured('take', 500, (at) => attempts.take({ id: '', dispatch: 0 }, `token ${at}`));
await measured('due (100 tickets)', 200, () => attempts.due(100));
await rig.redis.hset(`${rig.stores.prefix}:speeds`, last.release, '1000');
await measured('place of the last job', 200, () => rig.jobs.place(last));
await measured('adopt', 5, () => attempts.adopt());
await rig.close();
await redis.close();
