/** The client as another project has it: compiled, and run by plain Node. */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { Webhook } from 'standardwebhooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verifyWebhook, WebhookVerificationError } from '../../client/webhook.ts';
import { root } from '../../src/stack/home.mjs';
import { realApi } from '../http/api.ts';
import { tempDir } from '../real/run.ts';

const test = suite('client package');
const api = await realApi();
const { key } = await api.caller();

test('what `npm pack` makes of it is plain JavaScript, which can be used, with its licence', async () => {
  const folder = tempDir('client');
  for (const name of ['client', 'LICENSE', 'tsconfig.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const { stdout: packed } = await execa('npm', ['pack', './client', '--silent'], { cwd: folder });
  await execa('tar', ['xzf', packed], { cwd: folder });
  const unpacked = join(folder, 'package');
  assert.equal(readFileSync(join(unpacked, 'LICENSE')), readFileSync(join(root, 'LICENSE')));
  const script = `
    import { createClient, EnhanceError } from './dist/index.js';
    import { verifyWebhook } from './dist/webhook.js';
    const client = createClient({ url: '${api.url}', key: '${key}' });
    const models = await client.models();
    const error = await client.jobs.get('job_none').catch((thrown) => thrown);
    console.log(JSON.stringify([models.length, error instanceof EnhanceError, error.code, typeof verifyWebhook]));
  `;
  writeFileSync(join(unpacked, 'use.js'), script);
  const { stdout } = await execa('node', ['use.js'], { cwd: unpacked });
  assert.equal(JSON.parse(stdout), [8, true, 'not_found', 'function']);
});

test('the types of what `npm pack ./client` compiles are not checked with those of the sources', async () => {
  for (const project of [root, join(root, 'client')]) {
    const asked = ['--project', project, '--showConfig'];
    const { stdout } = await execa(join(root, 'node_modules/.bin/tsc'), asked);
    const excluded: string[] = JSON.parse(stdout).exclude;
    const paths = excluded.map((path) => resolve(project, path));
    assert.ok(paths.includes(join(root, 'client/dist')), project);
  }
});

test('a webhook is believed for its own secret, text and time only', () => {
  const secret = `whsec_${Buffer.from('a secret of 24 bytes ...').toString('base64')}`;
  const body = '{"type":"job.succeeded","timestamp":"2026-01-01T00:00:00Z","data":{"id":"job_1"}}';
  const sign = (at: Date) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
  });
  const headers = sign(new Date());
  const event = verifyWebhook(secret, { headers, body });
  const about = event.type === 'webhook.ping' ? event.data.webhook : event.data.id;
  assert.equal([event.type, about], ['job.succeeded', 'job_1']);
  const forged = [
    [secret, { headers, body: body.replace('job_1', 'job_2') }],
    [secret, { headers: { ...headers, 'webhook-id': 'msg_2' }, body }],
    [secret, { headers: sign(new Date(Date.now() - 600_000)), body }],
    [secret, { headers: {}, body }],
    [`whsec_${Buffer.from('another secret').toString('base64')}`, { headers, body }],
  ] as const;
  for (const [by, delivery] of forged)
    assert.throws(
      () => verifyWebhook(by, delivery),
      (error: unknown) => error instanceof WebhookVerificationError,
    );
});

test.after(() => api.close());
test.run();
