/**
 * How long after its job's end a webhook arrives, over real Redis, Bull and HTTP; the jobs' own work takes no time.
 * usage: node --import tsx bench/webhooks.ts [jobs]
 */
import { atOnce, freshPlace } from '../tests/jobs/rig.ts';
import { realRedis } from '../tests/real/redis.ts';
import { callback, openWebhookRig, receiver } from '../tests/webhooks/rig.ts';

const jobs = Number(process.argv[2] ?? 200);
const redis = await realRedis();
const target = await receiver();
const rig = await openWebhookRig(freshPlace(redis.url));
await rig.ledger.grant('acme', 10 * jobs);
await rig.work(atOnce);
rig.deliver();
for (let count = 0; count < jobs; count += 1) {
  const { job } = await rig.ask(`picture ${count}`, { callback: callback(target.origin) });
  await rig.ended(job);
}
await target.got(jobs);
const late = target.received
  .map(({ atMs, payload }) => atMs - Date.parse(payload.timestamp))
  .sort((one, other) => one - other);
const at = (part: number) => late[Math.min(late.length - 1, Math.floor(part * late.length))];
console.log(
  `${jobs} jobs: a webhook arrives ${at(0.5)} ms after its job's end (median), p99 ${at(0.99)} ms, at most ${at(1)} ms`,
);
await rig.close();
await target.close();
await redis.close();
