/** Bull Board, as a browser asks for it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
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

test('it changes nothing', async () => {
  const answer = await api.client().put('/board/api/queues/jobs/pause', null, {
    auth: { username: 'anybody', password: adminKey },
  });
  refused(answer, 405, 'method_not_allowed');
});

test.after(() => api.close());
test.run();
