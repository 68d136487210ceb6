/** What Redis knows, as figures; and who may read a worker's. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { z } from 'zod';
import { openAttempts } from '../../src/jobs/run/attempts.ts';
import { createLog } from '../../src/log.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { serveMetrics } from '../../src/metrics/serve.ts';
import { measureState } from '../../src/metrics/state.ts';
import { measureWebhooks } from '../../src/metrics/webhooks.ts';
import { root } from '../../src/stack/home.mjs';
import { bodyOf, idAt } from '../../src/webhooks/delivery.ts';
import { openWebhooks } from '../../src/webhooks/webhooks.ts';
import { freshPlace, openRig } from '../jobs/rig.ts';
import { testConfig } from '../real/config.ts';
import { freePorts } from '../real/ports.ts';
import { realRedis } from '../real/redis.ts';
import { samplesIn, sumOf } from './figures.ts';

const test = suite('figures of the state, and who reads them');
const server = await realRedis();
const rig = await openRig(freshPlace(server.url));
const { registry } = createMetrics();
measureState(registry, rig);
const webhooks = openWebhooks(rig.stores, rig.config);
measureWebhooks(registry, webhooks.backlog);
const look = async () => samplesIn(await registry.metrics());

test('a service without jobs and credits tells zeros', async () => {
  const samples = await look();
  for (const name of [
    ...['enhance_oldest_queued_seconds', 'enhance_credits_held', 'enhance_workers_lost_total'],
    ...['enhance_jobs', 'enhance_credits_total', 'enhance_jobs_finished_total'],
  ]) {
    assert.ok(
      samples.some((sample) => sample.name === name),
      name,
    );
    assert.is(sumOf(samples, name), 0, name);
  }
});

test('a waiting job has an age and a hold, and both end with it', async () => {
  await rig.ledger.grant('acme', 100);
  const { job } = await rig.ask('a picture', { credits: 7 });
  await sleep(60);
  const waiting = await look();
  assert.ok(sumOf(waiting, 'enhance_oldest_queued_seconds') >= 0.05);
  assert.is(sumOf(waiting, 'enhance_jobs', { status: 'queued' }), 1);
  assert.is(sumOf(waiting, 'enhance_credits_held'), 7);
  await rig.jobs.cancel('acme', job.id);
  const after = await look();
  assert.is(sumOf(after, 'enhance_oldest_queued_seconds'), 0);
  assert.is(sumOf(after, 'enhance_credits_held'), 0);
  assert.is(sumOf(after, 'enhance_credits_total', { change: 'released' }), 7);
  assert.is(sumOf(after, 'enhance_jobs_finished_total', { status: 'canceled' }), 1);
});

test('an attempt that vanished with its worker is counted once', async () => {
  const { job } = await rig.ask('another picture', { credits: 3 });
  const attempts = openAttempts(rig.stores, rig.config, 1);
  const [said] = await attempts.take({ id: job.id, dispatch: 1 }, 'a token');
  assert.is(said, 'taken');
  await sleep(5);
  for (let looks = 0; looks < 3; looks += 1) await attempts.due(100);
  assert.is(sumOf(await look(), 'enhance_workers_lost_total'), 1);
});

test('holds of a Redis that an older version wrote are seen, though it counted nothing', async () => {
  await rig.redis.del(`${rig.stores.prefix}:totals`);
  const samples = await look();
  assert.is(sumOf(samples, 'enhance_credits_held'), 3);
  assert.is(sumOf(samples, 'enhance_credits_total'), 0);
});

const undelivered = 'enhance_webhook_oldest_undelivered_seconds';

test('the oldest webhook that is to be delivered has an age: before a worker takes it, and until its receiver does', async () => {
  const age = async (waits_for: string) => sumOf(await look(), undelivered, { waits_for });
  assert.equal([await age('worker'), await age('receiver')], [0, 0]);
  const { deliveries } = webhooks;
  const made = async (hoursAgo: number) => {
    const created_at = Date.now() - hoursAgo * 3_600_000;
    const [id, body] = [`${idAt(created_at)}${hoursAgo}`, bodyOf('job.failed', created_at, {})];
    const what = {
      type: 'job.failed',
      job: 'job_1',
      endpoint: '',
      url: 'http://x/',
      body,
    } as const;
    await deliveries.expect({ ...what, id, account: 'acme', created_at });
    return id;
  };
  const [first, second] = [await made(2), await made(1)];
  assert.is(Math.floor((await age('receiver')) / 3600), 2);
  const end = async (id: string, status: 'pending' | 'delivered' | 'failed') => {
    const delivery = await deliveries.find(id);
    assert.ok(delivery);
    await deliveries.attempted(delivery, 'http://x/', {
      status,
      attempts: [],
      nextAttemptAt: null,
    });
  };
  await end(first, 'pending');
  assert.is(Math.floor((await age('receiver')) / 3600), 2);
  await end(first, 'failed');
  assert.is(Math.floor((await age('receiver')) / 3600), 1);
  // As when no worker was there for a week.
  await rig.redis.del(`${rig.stores.prefix}:delivery:${second}`);
  assert.is(await age('receiver'), 0);
  await deliveries.resend('acme', first);
  await sleep(5);
  assert.ok((await age('receiver')) > 0);
  assert.ok((await age('worker')) > 0);
});

test('disabled endpoints are counted by why, and no more once they are enabled or removed', async () => {
  const { endpoints } = webhooks;
  const disabled = async () => {
    const samples = await look();
    return ['by_request', 'answered_410', 'failed_for_days'].map((reason) =>
      sumOf(samples, 'enhance_webhooks_disabled', { reason }),
    );
  };
  const url = 'https://93.184.215.14/';
  const [one, other] = [
    await endpoints.create('acme', { url }),
    await endpoints.create('acme', { url }),
  ];
  assert.equal(await disabled(), [0, 0, 0]);
  await endpoints.heard(one, 'gone');
  await endpoints.change('acme', other, { enabled: false });
  assert.equal(await disabled(), [1, 1, 0]);
  await endpoints.change('acme', one, { enabled: true });
  await endpoints.remove('acme', other);
  assert.equal(await disabled(), [0, 0, 0]);
});

const statusOf = async (path: string, token = ''): Promise<number> => {
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
  return (await axios.get(path, { headers, validateStatus: () => true })).status;
};
const serving = async (settings: NodeJS.Dict<string>) => {
  const [port = 0] = await freePorts(1);
  const config = testConfig({ ...settings, METRICS_PORT: `${port}` });
  const log = createLog('silent', 'test');
  return {
    url: `http://127.0.0.1:${port}`,
    close: await serveMetrics({ metrics: createMetrics(), config, log }),
  };
};

test('a worker’s figures are open on this machine alone', async () => {
  const { url, close } = await serving({});
  assert.is(await statusOf(`${url}/metrics`), 200);
  assert.is(await statusOf(`${url}/`), 404);
  await close();
});

test('in docker compose they are not public: no port is published, and a token is needed', async () => {
  const Compose = z.looseObject({
    services: z.looseObject({
      worker: z.looseObject({
        environment: z.record(z.string(), z.string()),
        ports: z.undefined().optional(),
      }),
      api: z.looseObject({
        environment: z.record(z.string(), z.string()),
        ports: z.array(z.string()),
      }),
    }),
  });
  const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const { worker, api } = Compose.parse(parse(text, { merge: true })).services;
  assert.is(worker.environment.METRICS_PORT, '9464');
  assert.not.match(api.ports.join(), '9464');
  const { METRICS_HOST = '' } = worker.environment;
  assert.is(api.environment.HOST, '0.0.0.0', 'of the API: see attack/keys.test.ts');
  const token = 'a-token-for-prometheus';
  const { url, close } = await serving({ METRICS_HOST, METRICS_TOKEN: token });
  assert.is(await statusOf(`${url}/metrics`), 401);
  assert.is(await statusOf(`${url}/metrics`, 'wrong'), 401);
  assert.is(await statusOf(`${url}/metrics`, token), 200);
  await close();
  const without = await serving({ METRICS_HOST, ADMIN_KEY: '' });
  assert.is(await statusOf(`${without.url}/metrics`), 401, 'without any token nobody reads them');
  await without.close();
});

test.after(async () => {
  await rig.close();
  await server.close();
});
test.run();
