/** Metadata and webhooks as callers see them, over the API and a deliverer. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Job } from '../../src/contract/job.ts';
import {
  AccountSecret,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookWithSecret,
} from '../../src/contract/webhooks.ts';
import { startDeliverer } from '../../src/webhooks/deliverer.ts';
import { openDeliveryQueue } from '../../src/webhooks/queue.ts';
import { until } from '../real/until.ts';
import { receiver, verify } from '../webhooks/rig.ts';
import { realApi } from './api.ts';
import { pointers, refused } from './told.ts';

const test = suite('webhooks over HTTP');
const target = await receiver();
const api = await realApi({
  FETCH_ALLOW_HOSTS: `127.0.0.1:${target.port}`,
  RATE_CREATE_PER_MINUTE: '10000',
  WEBHOOK_RETRY_SECONDS: '0.05',
});
const { parts } = api;
const { config, log, operations } = parts;
const deliveryQueue = openDeliveryQueue(config.redis, log);
const deliverer = startDeliverer({
  ...parts,
  deliveryQueue,
  shown: { operations, publicUrl: config.http.publicUrl, link: parts.links.url },
});
const { http, account, cancelQueued } = await api.caller();
const other = await api.caller();

let made = 0;
const picture = async (): Promise<Blob> => {
  made += 1;
  const create = { width: 4, height: 4, channels: 3 as const, background: { r: made, g: 2, b: 9 } };
  return new Blob([Uint8Array.from(await sharp({ create }).png().toBuffer())]);
};
const form = async (fields: Readonly<Record<string, string>>, image?: Blob): Promise<FormData> => {
  const body = new FormData();
  for (const [name, value] of Object.entries({ model: 'photo', scale: '2', ...fields }))
    body.append(name, value);
  body.append('image', image ?? (await picture()), 'a.png');
  return body;
};
const post = (body: unknown, headers = {}) =>
  http.post('/v1/upscale', body, { headers: { prefer: 'respond-async', ...headers } });
const register = async (more = {}) =>
  WebhookWithSecret.parse((await http.post('/v1/webhooks', { url: target.origin, ...more })).data);
const deliveryOf = async (id: string) =>
  WebhookDeliveryDetail.parse((await http.get(`/v1/webhook-deliveries/${id}`)).data);

test.before.each(() => {
  target.received.length = 0;
});
test.after.each(async () => {
  await cancelQueued();
  for (const { id } of (await http.get('/v1/webhooks')).data.data)
    await http.delete(`/v1/webhooks/${id}`);
  await api.nothingLeft();
});
test.after(async () => {
  await deliverer.close();
  await deliveryQueue.close();
  await api.close();
  await target.close();
});

test('metadata and webhook_url come with a multipart body too, and metadata comes back in job, list and event', async () => {
  const metadata = { order: '17', '<b>': 'a "quoted" <i>text</i>' };
  const fields = { metadata: JSON.stringify(metadata), webhook_url: `${target.origin}/own` };
  const answer = await post(await form(fields));
  assert.is(answer.status, 202, JSON.stringify(answer.data));
  const job = Job.parse(answer.data);
  assert.equal(job.metadata, metadata);
  assert.not.ok(JSON.stringify(answer.data).includes(target.origin));
  assert.equal(Job.parse((await http.get(`/v1/jobs/${job.id}`)).data).metadata, metadata);
  const { data } = await http.get('/v1/jobs?status=queued');
  assert.equal(Job.parse(data.data[0]).metadata, metadata);
  await http.post(`/v1/jobs/${job.id}/cancel`);
  const { payload, ...message } = await target.got();
  assert.equal([payload.type, payload.data.metadata], ['job.canceled', metadata]);
  const { secret } = AccountSecret.parse((await http.get('/v1/webhook-secret')).data);
  assert.ok(verify(secret, { payload, ...message }));
});

test('a request that joins a job is answered with its own metadata; a replay with that of its first answer', async () => {
  const image = await picture();
  const send = async (n: string, headers = {}) =>
    Job.parse((await post(await form({ metadata: JSON.stringify({ n }) }, image), headers)).data);
  const key = { 'idempotency-key': 'one' };
  const first = await send('1', key);
  const joined = await send('2');
  assert.equal([joined.id, joined.metadata], [first.id, { n: '2' }]);
  const replayed = await send('1', key);
  assert.equal([replayed.id, replayed.metadata], [first.id, { n: '1' }]);
  const body = await form({ metadata: '{"n":"3"}' }, image);
  refused(await post(body, key), 422, 'idempotency_key_reused');
  // The replay is no further holder: two have to leave.
  await http.post(`/v1/jobs/${first.id}/cancel`);
  const { data } = await http.post(`/v1/jobs/${first.id}/cancel`);
  assert.is(data.status, 'canceled');
});

test('metadata beyond its limits is told with the limit and what came, for both operations', async () => {
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, 'v']));
  for (const path of ['/v1/upscale', '/v1/lipsync', '/v1/lipsync/estimate'])
    for (const [metadata, pointer, detail] of [
      [many, '/metadata', 'Expected at most 16 entries; got 17.'],
      [{ ['k'.repeat(41)]: 'v' }, `/metadata/${'k'.repeat(41)}`, /a name of at most 40 characters/],
      [{ k: 'v'.repeat(501) }, '/metadata/k', 'Expected at most 500 characters; got 501.'],
      [{ k: 1 }, '/metadata/k', 'Expected a string; got 1.'],
      ['text', '/metadata', 'Expected an object; got "text".'],
    ] as const) {
      const problem = refused(await http.post(path, { metadata }), 422, 'validation_failed');
      assert.ok(pointers(problem).includes(pointer), `${pointers(problem)}`);
      const fault = problem.errors?.find((one) => one.pointer === pointer);
      assert.match(fault?.detail ?? '', detail);
    }
  assert.equal((await http.get('/v1/jobs?status=queued')).data.data, []);
});

test('an estimate takes the body of the call itself, and tells nobody', async () => {
  const fields = { metadata: '{"order":"17"}', webhook_url: `${target.origin}/own` };
  const answer = await other.http.post('/v1/upscale/estimate', await form(fields));
  assert.equal([answer.status, answer.data.credits], [200, 1], JSON.stringify(answer.data));
  assert.equal((await other.http.get('/v1/webhook-deliveries')).data.data, []);
});

test('a webhook_url that may not be called is refused before there is a job or a charge', async () => {
  for (const [webhook_url, reason] of [
    ['https://me:secret@example.com/', 'it contains a user name or a password'],
    [
      'http://10.1.2.3/',
      'its host is unknown or has no public address, and FETCH_ALLOW_HOSTS does not name it',
    ],
    [
      'http://169.254.169.254/',
      'its host is unknown or has no public address, and FETCH_ALLOW_HOSTS does not name it',
    ],
    [
      'http://localhost/',
      'its host is unknown or has no public address, and FETCH_ALLOW_HOSTS does not name it',
    ],
  ] as const) {
    const refusal = refused(await post(await form({ webhook_url })), 422, 'url_not_allowed');
    assert.match(refusal.detail, reason);
    assert.not.match(refusal.detail, 'secret');
    assert.equal(pointers(refusal), ['/webhook_url']);
    const registered = await http.post('/v1/webhooks', { url: webhook_url });
    assert.equal(pointers(refused(registered, 422, 'url_not_allowed')), ['/url']);
  }
  const bad = await form({ webhook_url: 'ftp://example.com', webhook_events: '["job.done"]' });
  const problem = refused(await post(bad), 422, 'validation_failed');
  assert.equal(pointers(problem).sort(), ['/webhook_events/0', '/webhook_url']);
  const alone = await post(await form({ webhook_events: '["job.failed"]' }));
  assert.equal(pointers(refused(alone, 422, 'validation_failed')), ['/webhook_events']);
  assert.equal((await http.get('/v1/jobs?status=queued')).data.data, []);
  assert.is((await http.get('/v1/credits')).data.held, 0);
});

test('an endpoint is made, read, changed and removed by its account alone; its secret is shown when it is made', async () => {
  const { secret, ...endpoint } = await register({ description: 'orders' });
  assert.match(secret, /^whsec_[\w+/]{43}=$/);
  assert.equal(endpoint.events, ['job.succeeded', 'job.failed', 'job.canceled']);
  const path = `/v1/webhooks/${endpoint.id}`;
  assert.equal((await http.get(path)).data, endpoint);
  assert.equal((await http.get('/v1/webhooks')).data, { object: 'list', data: [endpoint] });
  const change = { events: ['job.progress'], description: '' };
  const changed = { ...endpoint, events: ['job.progress'], description: null };
  assert.equal((await http.post(path, change)).data, changed);
  const disabled = (await http.post(path, { enabled: false })).data;
  assert.equal([disabled.status, disabled.disabled_reason], ['disabled', 'by_request']);
  for (const strange of [
    other.http.get(path),
    other.http.post(path, {}),
    other.http.delete(path),
    other.http.post(`${path}/rotate`),
    other.http.post(`${path}/ping`),
  ])
    refused(await strange, 404, 'not_found');
  assert.equal((await other.http.get('/v1/webhooks')).data.data, []);
  const gone = { id: endpoint.id, object: 'webhook', deleted: true };
  assert.equal((await http.delete(path)).data, gone);
  refused(await http.get(path), 404, 'not_found');
});

test('an account has at most 20 endpoints; a repeated request makes one', async () => {
  const headers = { 'idempotency-key': 'endpoint' };
  const send = () => http.post('/v1/webhooks', { url: target.origin }, { headers });
  const [first, again] = [await send(), await send()];
  assert.equal(again.data, first.data);
  assert.is(again.headers['idempotent-replayed'], 'true');
  for (let count = 1; count < 20; count += 1) await register();
  refused(await http.post('/v1/webhooks', { url: target.origin }), 422, 'too_many_webhooks');
});

test('a ping is delivered and logged; it goes to a disabled endpoint too', async () => {
  const { id, secret } = await register();
  await http.post(`/v1/webhooks/${id}`, { enabled: false });
  const answer = await http.post(`/v1/webhooks/${id}/ping`);
  assert.is(answer.status, 202);
  const ping = WebhookDeliveryDetail.parse(answer.data);
  assert.equal([ping.type, ping.status, ping.webhook], ['webhook.ping', 'pending', id]);
  const message = await target.got();
  assert.equal(verify(secret, message), ping.payload);
  assert.is(message.headers['webhook-id'], ping.id);
  await until('it is logged', async () => (await deliveryOf(ping.id)).status === 'delivered');
});

test('after a rotation both secrets sign for the overlap, of an endpoint and of the account', async () => {
  const before = await register();
  const path = `/v1/webhooks/${before.id}`;
  const rotate = async () =>
    WebhookWithSecret.parse(
      (await http.post(`${path}/rotate`, {}, { headers: { 'idempotency-key': 'rotate' } })).data,
    );
  // Sent twice, as after a lost answer, it rotates once: else the first secret would sign no more.
  const [after, replayed] = [await rotate(), await rotate()];
  assert.equal(replayed, after);
  assert.ok(Date.parse(after.previous_secret_until ?? '') > Date.now() + 86_000_000);
  await http.post(`${path}/ping`);
  const both = await target.got(1);
  for (const { secret } of [before, after]) assert.ok(verify(secret, both));
  assert.is(String(both.headers['webhook-signature']).split(' ').length, 2);
  await http.post(`${path}/rotate`, { overlap_seconds: 0 });
  await http.post(`${path}/ping`);
  const alone = await target.got(2);
  assert.throws(() => verify(after.secret, alone));

  const own = async () => AccountSecret.parse((await http.get('/v1/webhook-secret')).data).secret;
  const old = await own();
  await http.post('/v1/webhook-secret/rotate', { overlap_seconds: 3600 });
  assert.is.not(await own(), old);
  const { data } = await post(await form({ webhook_url: target.origin }));
  await http.delete(`/v1/webhooks/${before.id}`);
  await http.post(`/v1/jobs/${data.id}/cancel`);
  const message = await target.got(3);
  for (const secret of [old, await own()]) assert.ok(verify(secret, message));
});

test('the log is paged and filtered, holds no secret, and has what can be sent again', async () => {
  const { id, secret } = await register();
  const jobs: string[] = [];
  for (let count = 1; count <= 3; count += 1) {
    const { data } = await post(await form({ webhook_url: `${target.origin}/own` }));
    jobs.push(data.id);
    await http.post(`/v1/jobs/${data.id}/cancel`);
    await target.got(2 * count);
  }
  const list = async (query: string) => (await http.get(`/v1/webhook-deliveries?${query}`)).data;
  await until(
    'all are logged',
    async () => (await list(`job=${jobs[2]}&status=delivered`)).data.length === 2,
  );
  const first = await list(`webhook=${id}&limit=2`);
  assert.is(first.has_more, true);
  const rest = await list(`webhook=${id}&limit=2&starting_after=${first.data[1].id}`);
  assert.equal([rest.data.length, rest.has_more], [1, false]);
  const all = [...first.data, ...rest.data].map((one) => WebhookDelivery.parse(one).job);
  assert.equal(all, jobs.reverse());
  const { data } = await list('limit=100');
  assert.not.ok(JSON.stringify(data).includes('whsec_'));
  refused(await http.get('/v1/webhook-deliveries?starting_after=msg_x'), 422, 'validation_failed');

  const sent = target.received.length;
  const one = first.data[0];
  const again = await http.post(`/v1/webhook-deliveries/${one.id}/resend`);
  assert.equal([again.status, again.data.status], [202, 'pending']);
  const message = await target.got(sent + 1);
  assert.is(message.headers['webhook-id'], one.id);
  assert.ok(verify(secret, message));
  await until('it is logged', async () => (await deliveryOf(one.id)).attempts_made === 2);
  for (const strange of [
    other.http.get(`/v1/webhook-deliveries/${one.id}`),
    other.http.post(`/v1/webhook-deliveries/${one.id}/resend`),
  ])
    refused(await strange, 404, 'not_found');
});

test('Redis holds no secret of an endpoint or an account', async () => {
  const { secret } = await register();
  const own = AccountSecret.parse((await http.get('/v1/webhook-secret')).data).secret;
  const { redis, prefix } = parts.stores;
  const texts = await Promise.all(
    (await redis.keys(`${prefix}:*`)).map(async (key) => {
      const type = await redis.type(key);
      if (type === 'hash') return JSON.stringify(await redis.hgetall(key));
      return type === 'string' ? redis.get(key) : '';
    }),
  );
  assert.ok(texts.some((text) => text?.includes(account)));
  for (const one of [secret, own])
    assert.not.ok(texts.some((text) => text?.includes(one.slice('whsec_'.length))));
});

test.run();
