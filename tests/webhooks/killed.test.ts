/** kill -9 of what stands between a job's end and its receiver. */
import type { ServerResponse } from 'node:http';
import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atOnce, freshPlace } from '../jobs/rig.ts';
import { programOf } from '../real/program.ts';
import { ownRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';
import { callback, openWebhookRig, receiver } from './rig.ts';

const test = suite('webhooks after kill -9');
const redis = await ownRedis();
const place = freshPlace(redis.url);
const rig = await openWebhookRig(place, { WEBHOOK_RETRY_SECONDS: '0.05,1,0.05' });

const restart = async () => {
  await redis.kill();
  await redis.start();
};

test('of the worker that ended the job, of Redis, and of a deliverer in the middle of its attempt, nothing is lost', async () => {
  const held: ServerResponse[] = [];
  const target = await receiver((_, response) => void held.push(response));
  await rig.ledger.grant('acme', 1000);
  const worker = await rig.work(atOnce);
  const { job } = await rig.ask('a', { callback: callback(target.origin) });
  await rig.ended(job);
  // No deliverer was there: as after the death of the only worker at this moment.
  await worker.close();
  await restart();

  const words = [...programOf('webhooks/deliverer-process.ts'), JSON.stringify(place)];
  const child = execa('node', words, { reject: false });
  const first = await target.got(1);
  child.kill('SIGKILL');
  assert.is((await child).signal, 'SIGKILL');

  rig.deliver();
  await target.got(2);
  held[1]?.writeHead(500).end();
  await target.got(3);
  held[2]?.writeHead(500).end();
  await until('it waits for its next attempt', async () => {
    const [one] = await rig.delivered();
    return one?.status === 'pending' && one.attempts_made === 2;
  });
  await restart();
  const last = await target.got(4);
  held[3]?.writeHead(200).end();
  await until('it is delivered', async () => (await rig.delivered())[0]?.status === 'delivered');
  assert.is(last.headers['webhook-id'], first.headers['webhook-id']);
  assert.is(last.body, first.body);
  assert.is((await rig.delivered()).length, 1);
  assert.equal(await rig.differences(), []);
  await target.close();
});

test.after(async () => {
  await rig.close();
  await redis.close();
});

test.run();
