/** The code of docs/guides/webhooks.md, run as it is printed there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Job } from '../../src/contract/job.ts';
import { WebhookWithSecret } from '../../src/contract/webhooks.ts';
import { compiled } from '../../src/stack/compiled.mjs';
import { places, root } from '../../src/stack/home.mjs';
import { realApi } from '../http/api.ts';
import { testEnvironment } from '../real/config.ts';
import { freePorts } from '../real/ports.ts';
import { tempDir } from '../real/run.ts';
import { until } from '../real/until.ts';

const test = suite('the guide to webhooks');
const guide = readFileSync(join(root, 'docs/guides/webhooks.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, code = '']) => code,
  );
const [inTypeScript = '', inPython = ''] = [...blocks('ts'), ...blocks('python')];
const [registering = '', requesting = ''] = blocks('sh');

const ports = await freePorts(2);
const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
const api = await realApi({ FETCH_ALLOW_HOSTS: hosts });
const { parts } = api;
// As `npm start` and the containers run it, but without Triton.
const worker = execa('node', [await compiled('main'), 'worker'], {
  cwd: root,
  reject: false,
  env: testEnvironment({
    REDIS_URL: parts.config.redis.url,
    REDIS_PREFIX: parts.stores.prefix,
    DATA_DIR: parts.config.files.dir,
    FETCH_ALLOW_HOSTS: hosts,
  }),
});
const caller = await api.caller();
const picture = join(tempDir('guide'), 'picture.png');
await sharp({ create: { width: 4, height: 4, channels: 3, background: '#48c' } }).toFile(picture);

const shell = async (code: string, port: number): Promise<unknown> => {
  const env = { ENHANCE_URL: api.url, ENHANCE_API_KEY: caller.key, PICTURE: picture };
  const { stdout } = await execa('sh', ['-c', code], {
    env: { ...env, RECEIVER: `http://127.0.0.1:${port}/` },
  });
  return JSON.parse(stdout);
};

const receivers = [
  [
    'TypeScript',
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', inTypeScript],
  ],
  ['Python', places.python, ['-c', inPython]],
] as const;

receivers.forEach(([language, program, words], index) => {
  test(`a receiver in ${language} takes what is signed for it, and refuses the rest`, async () => {
    const port = ports[index] ?? 0;
    const { id, secret } = WebhookWithSecret.parse(await shell(registering, port));
    const env = { PORT: String(port), WEBHOOK_SECRET: secret };
    const child = execa(program, [...words], { cwd: root, env, reject: false });
    try {
      let printed = '';
      child.stdout.on('data', (text: Buffer) => {
        printed += text;
      });
      await until('it listens', () => printed.includes('listening'));
      await caller.http.post(`/v1/webhooks/${id}/ping`);
      await until('it took the ping', () => printed.includes('webhook.ping'));
      // Signed with the account's secret, which this receiver does not know.
      const job = Job.parse(await shell(requesting, port));
      assert.equal(job.metadata, { order: '17' });
      await caller.http.post(`/v1/jobs/${job.id}/cancel`);
      const statuses = async () => {
        const { data } = await caller.http.get(`/v1/webhook-deliveries?job=${job.id}`);
        return data.data.flatMap((one: { attempts: { status_code: number }[] }) =>
          one.attempts.map(({ status_code }) => status_code),
        );
      };
      await until('it refused', async () => (await statuses()).includes(400));
      assert.equal(await statuses(), [400]);
    } finally {
      child.kill('SIGKILL');
      await child;
    }
  });
});

test.after(async () => {
  worker.kill('SIGTERM');
  assert.is((await worker).exitCode, 0);
  await api.close();
});

test.run();
