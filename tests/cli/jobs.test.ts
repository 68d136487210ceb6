/** The `enhance` program as a process of its own, against a real API; a job's work is told by the test. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { Command } from 'commander';
import { execa } from 'execa';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { waitMs } from '../../client/http.ts';
import { calling, throughRestart } from '../../src/cli/calling.ts';
import {
  balance,
  grant as grantCredits,
  showLedger,
  verify as verifyCredits,
} from '../../src/cli/credits.ts';
import { listJobs } from '../../src/cli/jobs.ts';
import { listKeys } from '../../src/cli/keys.ts';
import { listModels } from '../../src/cli/models.ts';
import { runJobs, type Use } from '../../src/cli/run-jobs.ts';
import { startWorker } from '../../src/jobs/run/worker.ts';
import { upscaleCommand } from '../../src/operations/upscale/cli.ts';
import { root } from '../../src/stack/home.mjs';
import { realApi } from '../http/api.ts';
import { enhanceBy, pictureOf } from '../jobs/rig.ts';
import { serve } from '../media/server.ts';
import { untilAborted } from '../real/aborted.ts';
import { h264, makeClip, pattern } from '../real/clip.ts';
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
let result: string | Buffer = 'a result';
const worker = await startWorker({
  ...api.parts,
  enhance: enhanceBy(async (_, { target }, __, signal) => {
    await work(signal);
    await writeFile(target, result);
    return pictureOf(8);
  }),
});

const environment = testEnvironment({
  ENHANCE_API_KEY: key,
  ENHANCE_URL: api.url,
  REDIS_URL: api.parts.config.redis.url,
  REDIS_PREFIX: api.parts.config.redis.prefix,
});
/** In `folder`, as its user would. */
const enhance = (...args: readonly string[]) =>
  execa('node', [join(root, 'src/cli/bin.mjs'), ...args], {
    cwd: folder,
    reject: false,
    timeout: 60_000,
    env: environment,
  });
/** What a command prints that runs in this process, where it costs no start of Node. */
const printed = (run: () => Promise<void>) => {
  const said = { out: [''].slice(1), err: [''].slice(1) };
  const { log, error } = console;
  console.log = (text) => void said.out.push(String(text));
  console.error = (text) => void said.err.push(String(text));
  const restore = () => Object.assign(console, { log, error });
  return { said, done: run().finally(restore) };
};
const printedBy = async (run: () => Promise<void>) => {
  const { said, done } = printed(run);
  await done;
  return said;
};
/** With the environment that it has as a process of its own. */
const withEnvironment = async (run: () => Promise<void>): Promise<void> => {
  const before = process.env;
  process.env = { ...before, ...environment };
  await run().finally(() => {
    process.env = before;
  });
};
const lines = (text: string) => text.split('\n').map((line) => JSON.parse(line));
writeFileSync(join(folder, 'a.png'), await picture('#48c'));
await sharp({ create: { width: 4, height: 4, channels: 3, background: '#4c8' } }).toFile(
  join(folder, 'scan.tiff'),
);
mkdirSync(join(folder, 'out'));

test('files and addresses become files in a folder, and results as JSON', async () => {
  writeFileSync(join(folder, 'broken.jpg'), 'no picture');
  writeFileSync(join(folder, 'unnamed'), await picture('#c4c'));
  const sources = ['a.png', 'broken.jpg', `${site.origin}/some/b.png?x=1`, 'scan.tiff', 'unnamed'];
  const { exitCode, stdout, stderr } = await enhance('upscale', ...sources, '-o', 'out', '--json');
  assert.is(exitCode, 1);
  assert.equal(
    lines(stdout).map(({ file, credits_used }) => [file, credits_used]),
    [
      ['out/a-photo-2x.png', 1],
      ['out/b-photo-2x.png', 1],
      ['out/scan-photo-2x.png', 1],
      ['out/unnamed-photo-2x.png', 1],
    ],
  );
  assert.match(stderr, /^broken\.jpg: 415 unsupported_media_type: /m);
  const mute = await enhance('lipsync', 'a.png', 'broken.jpg');
  assert.match(mute.stderr, /^broken\.jpg: 415 unsupported_media_type: Expected a sound /m);
  assert.is(readFileSync(join(folder, 'out/b-photo-2x.png'), 'utf8'), 'a result');
});

test('an image that is animated becomes a video in a folder', async () => {
  await sharp([await picture('#48c'), await picture('#c84')], { join: { animated: true } }).toFile(
    join(folder, 'moving.gif'),
  );
  await sharp(await picture('#48c')).toFile(join(folder, 'still.gif'));
  const sources = ['moving.gif', 'still.gif'];
  const { exitCode, stdout, stderr } = await enhance('upscale', ...sources, '-o', 'out', '--json');
  assert.is(exitCode, 0, stderr);
  assert.equal(
    lines(stdout).map(({ file }) => file),
    ['out/moving-photo-2x.mp4', 'out/still-photo-2x.png'],
  );
});

test('`npm run enhance` takes paths from where its caller stands', async () => {
  const { exitCode, stderr } = await execa(
    ...[
      'npm',
      ['run', '-s', 'enhance', '--prefix', root, '--', 'upscale', 'a.png', '-o', 'n.webp'],
    ],
    {
      cwd: folder,
      reject: false,
      timeout: 60_000,
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
  assert.match(stdout, /^a\.png: 1 credit of \d+: 4x4 -> 16x16\n {2}photo: /);
});

test('of several files each price has its name, and what would be free is told so', async () => {
  const scale = ['--scale', '2', '--effort', 'best'];
  const { stderr } = await enhance('upscale', 'a.png', '-o', 'again.png', ...scale);
  assert.match(stderr, 'again.png: 4x4 -> 8x8');
  writeFileSync(join(folder, 'fresh.png'), await picture('#8c4'));
  const { stdout } = await enhance('estimate', 'upscale', 'a.png', 'fresh.png', ...scale);
  assert.match(
    stdout,
    /^a\.png: cached, free: 4x4 -> 8x8\nfresh\.png: 1 credit of \d+: 4x4 -> 8x8\n {2}photo: .*\n1 credit together$/,
  );
});

test('an estimate tells what the result will lack', async () => {
  const two = [...pattern(0.2), ...pattern(0.2, 25, '32x24'), '-map', '0', '-map', '1'];
  await makeClip(join(folder, 'two.mp4'), [...two, ...h264]);
  const { stdout, stderr } = await enhance('estimate', 'upscale', 'two.mp4');
  assert.match(stdout, /^two\.mp4: 1 credit of /);
  assert.match(stderr, /^Note: .* left out: 1 further video track\.$/);
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
  const { stdout } = await enhance('keys', 'create', '--account', 'poor');
  assert.match(
    stdout,
    /account poor, which has 0 credits\. .*\n.*: enhance credits grant poor 1000$/,
  );
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

const here = { url: api.url, key };
/** A command of an operation, as its line has it. */
const operation = async (use: Use, ...args: readonly string[]): Promise<void> => {
  const program = new Command();
  upscaleCommand(program, use);
  await program.parseAsync(['upscale', ...args], { from: 'user' });
};
const making: Use = {
  adopt: (command) => calling(command).option('-o, --output <path>').option('--json'),
  send: runJobs,
};
const reach = ['--url', api.url, '--key', key];
const at = (name: string) => join(folder, name);

test('a job, an upload and a link to a result are sources, as the API takes them', async () => {
  result = await picture('#135');
  const body = new FormData();
  body.append('file', new Blob([Uint8Array.from(await picture('#531'))]), 'u.png');
  const { data: upload } = await http.post('/v1/uploads', body);
  const [job] = (await http.get('/v1/jobs?limit=1')).data.data;
  await printedBy(() => operation(making, at('a.png'), '-s', '4', '-o', at('four.png'), ...reach));
  const [made] = (await http.get('/v1/jobs?limit=1')).data.data;
  assert.is.not(made.id, job.id);
  const sources = [made.id, upload.id, '-o', at('out')];
  const { err } = await printedBy(() => operation(making, ...sources, '-f', 'webp', ...reach));
  assert.equal(err, [
    `${at(`out/${made.id}-photo-2x.webp`)}: 4x4 -> 8x8, 1 credit`,
    `${at(`out/${upload.id}-photo-2x.webp`)}: 4x4 -> 8x8, 1 credit`,
  ]);
  const links = [made.result.output_url, upload.url, '-o', at('links/')];
  mkdirSync(at('links'));
  const again = await printedBy(() => operation(making, ...links, '-f', 'webp', ...reach));
  assert.equal(again.err, [
    `${at(`links/${made.id}-photo-2x.webp`)}: 4x4 -> 8x8, cached, free`,
    `${at(`links/${upload.id}-photo-2x.webp`)}: 4x4 -> 8x8, cached, free`,
  ]);
  const unknown = await operation(making, made.id, '-o', at('out'), ...reach).catch(String);
  assert.is(
    unknown,
    `Refused: The name of ${made.id} tells no format for its result; give --format.`,
  );
  result = 'a result';
});

test('an empty list says so on stderr, and an unknown account is refused', async () => {
  const fresh = await api.caller({ credits: 0 });
  const options = { ...here, key: fresh.key, limit: 5 };
  assert.equal(await printedBy(() => listJobs(options)), {
    out: [],
    err: ['The account has no jobs.'],
  });
  assert.equal(await printedBy(() => listJobs({ ...options, json: true })), {
    out: ['[]'],
    err: [],
  });
  const ledger = () => withEnvironment(() => showLedger(fresh.account, { limit: 5 }));
  const { out, err } = await printedBy(ledger);
  assert.equal([out, err], [[], [`The ledger of ${fresh.account} has no entries.`]]);
  await api.parts.ledger.grant('keyless', 1);
  const keyless = await printedBy(() => withEnvironment(() => listKeys({ account: 'keyless' })));
  assert.equal(keyless.err, ['The account keyless has no keys.']);
  const refused = [
    () => showLedger('nobody', { limit: 5 }),
    () => balance('nobody', { json: true }),
    () => verifyCredits('nobody'),
    () => listKeys({ account: 'nobody' }),
  ];
  for (const run of refused)
    assert.is(await withEnvironment(run).catch(String), 'Refused: There is no account nobody.');
});

test('credits for an account that is not known yet are granted, and it is said that it is new', async () => {
  const grant = () => printedBy(() => withEnvironment(() => grantCredits('acmme', 5, {})));
  const isNew = 'It is a new account: it had no key and no credits before.';
  assert.equal(await grant(), {
    out: ['The account acmme has 5 credits available.'],
    err: [isNew],
  });
  assert.equal((await grant()).err, []);
});

test('a job is followed and fetched through a restart of the API, which is said once', async () => {
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  work = () => gate;
  const { said, done } = printed(() =>
    operation(making, at('scan.tiff'), '-s', '8', '-o', at('restart.png'), '--json', ...reach),
  );
  await api.untilWaiting(1);
  const comeBack = await api.goAway();
  const away = / does not answer \(\w+\)\. Trying again for a minute; accepted jobs go on\.$/;
  await until('it is told', () => away.test(said.err[0] ?? ''));
  go();
  await comeBack();
  await done;
  work = async () => {};
  assert.equal(
    said.err.map((line) => away.test(line)),
    [true, false],
  );
  assert.is(JSON.parse(said.out[0] ?? '').file, at('restart.png'));
  assert.is(readFileSync(at('restart.png'), 'utf8'), 'a result');
});

test('the files of a command that come after the restart are sent too', async () => {
  let posts = 0;
  const lossy = await serve((asked, answer) => {
    posts += asked.method === 'POST' ? 1 : 0;
    // Four are under way at a time, so that the fifth waits for the end of another one.
    if (asked.method === 'POST' && posts === 5) return void asked.socket.destroy();
    const passed = request(api.url + asked.url, { method: asked.method, headers: asked.headers });
    passed.on('response', (came) =>
      came.pipe(answer.writeHead(came.statusCode ?? 0, came.headers)),
    );
    asked.pipe(passed);
  });
  const sources: string[] = [];
  for (const name of ['1', '2', '3', '4', '5']) {
    sources.push(at(`batch-${name}.png`));
    writeFileSync(at(`batch-${name}.png`), await picture(`#0${name}0`));
  }
  mkdirSync(at('batch'));
  const args = [...sources, '-o', at('batch'), '--url', lossy.origin, '--key', key];
  const { err } = await printedBy(() => operation(making, ...args));
  await lossy.close();
  assert.is(posts, 6);
  assert.is(err.filter((line) => line.endsWith('1 credit')).length, 5, err.join('\n'));
});

test('Ctrl-C before the API has told the job: the job may go on, and how it is found', async () => {
  let asks = 0;
  const silent = await serve(() => {
    asks += 1;
  });
  const { said, done } = printed(() =>
    operation(making, at('a.png'), '-o', at('s.png'), '--url', silent.origin, '--key', key),
  );
  await until('the file is sent', async () => asks > 0);
  const exitCode = process.exitCode;
  process.listeners('SIGINT').at(-1)?.('SIGINT');
  await done;
  process.exitCode = exitCode;
  await silent.close();
  assert.match(said.err.join(), /the job goes on: enhance jobs list shows it/);
});

test('Ctrl-C while the API is away names the job that goes on', async () => {
  work = untilAborted;
  const { said, done } = printed(() =>
    operation(making, at('a.png'), '-s', '8', '-o', at('c.png'), ...reach),
  );
  await api.untilWaiting(1);
  const comeBack = await api.goAway();
  await until('it is told', () => said.err.length > 0);
  const exitCode = process.exitCode;
  // Only that of the command: other tests share the process, and what they use listens too.
  process.listeners('SIGINT').at(-1)?.('SIGINT');
  await done;
  process.exitCode = exitCode;
  await comeBack();
  work = async () => {};
  const [, id = ''] = /enhance jobs cancel (job_\w+) cancels it\.$/.exec(said.err[1] ?? '') ?? [];
  await http.post(`/v1/jobs/${id}/cancel`);
  await until('it is cancelled', async () => {
    const { data } = await http.get(`/v1/jobs/${id}`);
    return data.status === 'canceled';
  });
});

test('an API that is away is waited for about a minute', () => {
  const { retries = 0 } = throughRestart(() => {});
  const pauses = Array.from({ length: retries }, (_, tries) => waitMs(null, tries));
  const sumMs = pauses.reduce((sum, ms) => sum + ms, 0);
  assert.ok(sumMs > 55_000 && sumMs < 75_000, `${sumMs} ms`);
});

const begin = async (colour: string) => {
  const body = new FormData();
  for (const [name, value] of Object.entries({ model: 'photo', scale: '2' }))
    body.append(name, value);
  body.append('image', new Blob([Uint8Array.from(await picture(colour))]), 'a.png');
  return http.post('/v1/upscale', body, { headers: { prefer: 'respond-async' } });
};

test('a list tells which place in the queue a job has', async () => {
  work = untilAborted;
  const ids: string[] = [];
  for (const colour of ['#111', '#122', '#133', '#144', '#155', '#166'])
    ids.push((await begin(colour)).data.id);
  const { stdout } = await enhance('jobs', 'list');
  assert.match(stdout, new RegExp(`^${ids.at(-1)} .* queued, place \\d`, 'm'));
  for (const id of ids.reverse()) await http.post(`/v1/jobs/${id}/cancel`);
  const open = async () => (await http.get('/v1/jobs?status=processing')).data.data.length;
  await until('none is left', async () => (await open()) === 0);
});

test('a job is cancelled, and costs nothing', async () => {
  work = untilAborted;
  const { data } = await begin('#246');
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

test('the holder of a key sees its credits, as the API tells them', async () => {
  const { balance: has, held } = await api.parts.ledger.balance(account);
  const { stdout } = await enhance('credits', 'balance');
  assert.is(stdout, `${account}: ${has} credits, ${held} held, ${has - held} available.`);
});

test('it says its version', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.is((await enhance('--version')).stdout, version);
});

test('models are listed in columns, however long a name is', async () => {
  const { out } = await printedBy(() => listModels({ url: api.url, key }));
  const models = out.filter((line) => !line.startsWith(' '));
  assert.ok(models.some((line) => line.startsWith('animation_realtime  ')));
  const starts = models.map((line) => line.length - line.replace(/^\S+ +/, '').length);
  assert.equal([...new Set(starts)], ['animation_realtime  '.length]);
});

test.after(async () => {
  await worker.close();
  await api.close();
  await site.close();
});

test.run();
