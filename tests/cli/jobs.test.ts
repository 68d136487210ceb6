/** The `enhance` program as a process of its own, against a real API; a job's work is told by the test. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startWorker } from '../../src/jobs/run/worker.ts';
import { root } from '../../src/stack/home.mjs';
import { realApi } from '../http/api.ts';
import { enhanceBy, pictureOf } from '../jobs/rig.ts';
import { serve } from '../media/server.ts';
import { untilAborted } from '../real/aborted.ts';
import { testEnvironment } from '../real/config.ts';
import { tempDir } from '../real/run.ts';
import { until } from '../real/until.ts';

const test = suite('enhance jobs');
const folder = tempDir('cli');
const picture = (background: string) =>
  sharp({ create: { width: 4, height: 4, channels: 3, background } })
    .png()
    .toBuffer();
const remote = await picture('#c84');
const site = await serve((_, answer) => answer.end(remote));
const api = await realApi({ FETCH_ALLOW_HOSTS: new URL(site.origin).host });
const { key, account, http } = await api.caller();
/** What a job does before its result is there. */
let work: (signal: AbortSignal) => Promise<void> = async () => {};
const worker = await startWorker({
  ...api.parts,
  enhance: enhanceBy(async (_, { target }, __, signal) => {
    await work(signal);
    await writeFile(target, 'a result');
    return pictureOf(8);
  }),
});

/** In `folder`, as its user would. */
const enhance = (...args: readonly string[]) =>
  execa('node', [join(root, 'src/cli/bin.mjs'), ...args], {
    ...{ cwd: folder, reject: false, timeout: 60_000 },
    env: testEnvironment({
      ...{ ENHANCE_API_KEY: key, ENHANCE_URL: api.url },
      ...{ REDIS_URL: api.parts.config.redis.url, REDIS_PREFIX: api.parts.config.redis.prefix },
    }),
  });
const lines = (text: string) => text.split('\n').map((line) => JSON.parse(line));
writeFileSync(join(folder, 'a.png'), await picture('#48c'));
await sharp({ create: { width: 4, height: 4, channels: 3, background: '#4c8' } }).toFile(
  join(folder, 'scan.tiff'),
);
mkdirSync(join(folder, 'out'));

test('files and addresses become files in a folder, and results as JSON', async () => {
  writeFileSync(join(folder, 'broken.jpg'), 'no picture');
  const sources = ['a.png', 'broken.jpg', `${site.origin}/some/b.png?x=1`, 'scan.tiff'];
  const { exitCode, stdout, stderr } = await enhance('upscale', ...sources, '-o', 'out', '--json');
  assert.is(exitCode, 1);
  assert.equal(
    lines(stdout).map(({ file, credits_used }) => [file, credits_used]),
    [
      ['out/a-photo-2x.png', 1],
      ['out/b-photo-2x.png', 1],
      ['out/scan-photo-2x.png', 1],
    ],
  );
  assert.match(stderr, /out\/broken-photo-2x\.jpg: 415 unsupported_media_type: /);
  assert.is(readFileSync(join(folder, 'out/b-photo-2x.png'), 'utf8'), 'a result');
});

test('`npm run enhance` takes paths from where its caller stands', async () => {
  const { exitCode, stderr } = await execa(
    ...[
      'npm',
      ['run', '-s', 'enhance', '--prefix', root, '--', 'upscale', 'a.png', '-o', 'n.webp'],
    ],
    {
      ...{ cwd: folder, reject: false, timeout: 60_000 },
      env: testEnvironment({ ENHANCE_API_KEY: key, ENHANCE_URL: api.url, INIT_CWD: folder }),
    },
  );
  assert.is(exitCode, 0, stderr);
  assert.ok(existsSync(join(folder, 'n.webp')));
});

test('a price is told without a job', async () => {
  const args = ['estimate', 'upscale', 'a.png', '--scale', '4'];
  const { stdout, exitCode } = await enhance(...args);
  assert.is(exitCode, 0);
  assert.match(stdout, /^1 credit of \d+: 4x4 -> 16x16\n {2}photo: /);
});

test('jobs are listed, shown, watched and deleted', async () => {
  const [job] = JSON.parse((await enhance('jobs', 'list', '--limit', '1', '--json')).stdout);
  assert.match(
    (await enhance('jobs', 'list')).stdout,
    new RegExp(`^${job.id} .* upscale photo `, 'm'),
  );
  const shown = await enhance('jobs', 'show', job.id);
  assert.match(shown.stdout, /succeeded .*\n {2}http/);
  const watched = await enhance('jobs', 'watch', job.id, '-o', 'w.png', '--json');
  assert.equal([watched.exitCode, JSON.parse(watched.stdout).status], [0, 'succeeded']);
  assert.is(readFileSync(join(folder, 'w.png'), 'utf8'), 'a result');
  assert.is(JSON.parse((await enhance('jobs', 'delete', job.id, '--json')).stdout).result, null);
  const gone = await enhance('jobs', 'show', 'job_none');
  assert.equal([gone.exitCode, gone.stdout], [1, '']);
  assert.match(gone.stderr, /^404 not_found: /);
});

test('keys have names, and one that has expired is shown as such', async () => {
  const args = ['keys', 'create', '--account', account, '--name', 'laptop', '--expires-in', '1'];
  const { id, name } = JSON.parse((await enhance(...args, '--json')).stdout);
  assert.is(name, 'laptop');
  const line = async () =>
    (await enhance('keys', 'list')).stdout.split('\n').find((one) => one.startsWith(id)) ?? '';
  let shown = await line();
  while (!shown.includes('expired')) shown = await line();
  assert.match(shown, / {2}expired \d{4}-.*Z {2}laptop$/);
});

test('a key is rotated with an overlap, and revoked at once', async () => {
  const old = await api.caller();
  const rotate = ['keys', 'rotate', old.keyId, '--overlap', '600', '--json'];
  const { key, id } = JSON.parse((await enhance(...rotate)).stdout);
  const statusOf = async (one: string) => (await api.client(one).get('/v1/credits')).status;
  assert.equal([await statusOf(old.key), await statusOf(key)], [200, 200]);
  assert.is((await enhance('keys', 'revoke', id)).stdout, `The key ${id} is revoked.`);
  assert.equal([await statusOf(old.key), await statusOf(key)], [200, 401]);
});

test('a job is cancelled, and costs nothing', async () => {
  work = untilAborted;
  const body = new FormData();
  for (const [name, value] of Object.entries({ model: 'photo', scale: '2' }))
    body.append(name, value);
  body.append('image', new Blob([Uint8Array.from(await picture('#246'))]), 'a.png');
  const { data } = await http.post('/v1/upscale', body, { headers: { prefer: 'respond-async' } });
  const { stdout } = await enhance('jobs', 'cancel', data.id);
  assert.match(stdout, new RegExp(`^${data.id} .* (processing|canceled) .*0 credits$`));
  work = async () => {};
  const now = async () => (await http.get(`/v1/jobs/${data.id}`)).data;
  await until('it is cancelled', async () => (await now()).status === 'canceled');
  assert.is((await now()).cost.charged, 0);
});

test('the ledger of an account tells what its jobs cost', async () => {
  const { stdout } = await enhance('credits', 'ledger', account);
  assert.match(stdout, / {2}capture {2}-1 balance, -1 held {2}= \d+, 0 held {2}job_/);
  assert.match(stdout, / {2}grant {4}\+1000 balance, 0 held {2}= 1000, 0 held/);
});

test('it says its version', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.is((await enhance('--version')).stdout, version);
});

test.after(async () => {
  await worker.close();
  await api.close();
  await site.close();
});
test.run();
