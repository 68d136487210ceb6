/** Bull Board, as a browser asks for it. */
import { createHmac } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { until } from '../real/until.ts';
import { realApi } from './api.ts';
import { refused } from './told.ts';

const test = suite('board');
const api = await realApi();
const { adminKey = '' } = api.parts.config.secrets;
const plain = await api.caller();
const admin = await api.caller({ scopes: ['admin'] });
const ask = (path: string, password?: string) =>
  api.client().get(path, {
    headers:
      password === undefined
        ? {}
        : { authorization: `Basic ${Buffer.from(`anybody:${password}`).toString('base64')}` },
  });

test('a browser is told to ask for a password', async () => {
  const answer = await ask('/board');
  refused(answer, 401, 'missing_api_key');
  assert.is(answer.headers['www-authenticate'], 'Basic realm="admin key"');
  refused(await ask('/board', 'wrong'), 401, 'invalid_api_key');
  refused(await ask('/board/api/queues', plain.key), 403, 'insufficient_scope');
});

test('the admin sees the page, its files and the queue, and nothing of another host', async () => {
  for (const password of [adminKey, admin.key]) {
    const { status, data, headers } = await ask('/board', password);
    assert.is(status, 200);
    assert.match(String(headers['content-type']), /^text\/html/);
    assert.match(headers['content-security-policy'], /^default-src 'none'; script-src 'self';/);
    assert.not.match(data, /https?:\/\/(?!127)/);
    const [, script] = /src="(static\/js\/main[^"]+)"/.exec(data) ?? [];
    const file = await ask(`/board/${script}`, password);
    assert.is(file.status, 200);
    assert.match(String(file.headers['content-type']), /javascript/);
  }
  const { data } = await ask('/board/api/queues?status=latest&page=1', adminKey);
  assert.equal(
    data.queues.map(({ name, readOnlyMode }: Record<string, unknown>) => [name, readOnlyMode]),
    [
      ['jobs', true],
      ['webhooks', true],
    ],
  );
});

const sessionOf = async (client: typeof api.admin): Promise<string> => {
  const answer = await client.post('/v1/admin/board');
  assert.is(answer.status, 201);
  assert.is(answer.data.url, `${api.url}/board`);
  const [set = ''] = answer.headers['set-cookie'] ?? [];
  assert.match(set, /; path=\/board; .*samesite=strict; httponly$/);
  return set.split(';')[0] ?? '';
};
const withCookie = (cookie: string) => api.client().get('/board', { headers: { cookie } });

test('an admin key gets a session, which opens the board without a password until the key ends', async () => {
  assert.is((await withCookie(await sessionOf(api.admin))).status, 200);
  const other = await api.caller({ scopes: ['admin'] });
  const cookie = await sessionOf(other.http);
  assert.is((await withCookie(cookie)).status, 200);
  await api.parts.keys.revoke(other.keyId);
  refused(await withCookie(cookie), 401, 'missing_api_key');
  refused(await plain.http.post('/v1/admin/board'), 403, 'insufficient_scope');
});

test('a session that is forged, of another key or over opens nothing', async () => {
  const [, keyId, expires, signature] =
    /=([^.]+)\.(\d+)\.(.+)$/.exec(await sessionOf(admin.http)) ?? [];
  const forged = [
    `${keyId}.${Number(expires) + 1}.${signature}`,
    `operator.${expires}.${signature}`,
    `${keyId}.${expires}.`,
    'x',
  ];
  for (const value of forged)
    refused(await withCookie(`board-session=${value}`), 401, 'missing_api_key');
  const text = `board\n${keyId}.1\n${adminKey}`;
  const own = createHmac('sha256', api.parts.config.secrets.signing).update(text);
  const over = `board-session=${keyId}.1.${own.digest('base64url')}`;
  refused(await withCookie(over), 401, 'missing_api_key');
});

test('the queue is told: jobs, what Bull carries, workers', async () => {
  const { status, data } = await admin.http.get('/v1/admin/queue');
  assert.is(status, 200);
  assert.equal(data.jobs, {
    queued: 0,
    processing: 0,
    oldest_queued_at: null,
    succeeded: 0,
    failed: 0,
    canceled: 0,
    workers_lost: 0,
  });
  const idle = { paused: false, waiting: 0, active: 0, delayed: 0, failed: 0, workers: 0 };
  assert.equal(data.queues, [
    { name: 'jobs', ...idle },
    { name: 'webhooks', ...idle },
  ]);
  api.parts.queue.start(1, async () => {});
  await until('the worker is seen', async () => {
    const { queues } = (await admin.http.get('/v1/admin/queue')).data;
    return queues[0].workers === 1 && queues[1].workers === 0;
  });
});

test('it changes nothing', async () => {
  const answer = await api.client().put('/board/api/queues/jobs/pause', null, {
    auth: { username: 'anybody', password: adminKey },
  });
  refused(answer, 405, 'method_not_allowed');
});

test.after(() => api.close());
test.run();
