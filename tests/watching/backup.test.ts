/** The commands of docs/operate/backup.md: a copy of a live Redis under writes, its loss, and what is there afterwards. */
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { audit } from '../../src/jobs/record/audit.ts';
import { startWorker } from '../../src/jobs/run/worker.ts';
import { root } from '../../src/stack/home.mjs';
import { startRedis } from '../../src/stack/redis.ts';
import { realApi } from '../http/api.ts';
import { atOnce, enhanceBy, quick } from '../jobs/rig.ts';
import { freePorts } from '../real/ports.ts';
import { partEnvironment, tempDir } from '../real/run.ts';
import { skip } from '../real/skip.ts';
import { until } from '../real/until.ts';

const test = suite('backup and restore');
const run = promisify(execFile);
const dir = tempDir('backup');
const at = (name: string) => join(dir, name);
const [port = 0] = await freePorts(1);
const password = 'a-redis-password-of-backups';
const url = `redis://:${password}@127.0.0.1:${port}`;

const openRedis = () =>
  startRedis({
    port,
    password,
    dataDir: at('redis'),
    logFile: at('redis.log'),
    env: partEnvironment(),
  });
const openService = async (pepper = 'the-pepper-of-backups') => {
  const settings = {
    REDIS_PREFIX: 'backup',
    DATA_DIR: at('data'),
    KEY_PEPPER: pepper,
    RATE_CREATE_PER_MINUTE: '100000',
    RATE_READ_PER_MINUTE: '100000',
  };
  const api = await realApi(settings, Promise.resolve({ url, close: async () => {} }));
  const worker = await startWorker({ ...api.parts, enhance: enhanceBy(atOnce) }, quick);
  const close = async () => {
    await worker.close();
    await api.close();
  };
  return { ...api, close };
};

let made = 0;
const order = async () => {
  made += 1;
  const background = { r: made % 256, g: made >> 8, b: 9 };
  const create = { width: 4, height: 4, channels: 3, background } as const;
  const body = new FormData();
  body.append('model', 'photo');
  body.append('scale', '2');
  body.append(
    'image',
    new Blob([Uint8Array.from(await sharp({ create }).png().toBuffer())]),
    'a.png',
  );
  return body;
};

const name = 'after a loss, keys are valid, balances follow from the ledger and results are there';
const redisCli = spawnSync('redis-cli', ['--version']).status === 0;
if (!redisCli) skip(test, name, 'redis-cli');
else
  test(name, async () => {
    let redis = await openRedis();
    const before = await openService();
    const caller = await before.caller({ credits: 1000 });
    const first = await caller.http.post('/v1/upscale', await order());
    assert.is(first.status, 200, JSON.stringify(first.data));

    // Two writers that do not stop for the copy: credits that come, and jobs that cost some.
    let writing = true;
    let granted = 1000;
    const grants = (async () => {
      while (writing) {
        await before.parts.ledger.grant(caller.account, 1);
        granted += 1;
      }
    })();
    const jobs = (async () => {
      while (writing) await caller.http.post('/v1/upscale', await order());
    })();
    await until('both have written', () => granted > 1050 && made > 5);
    const [least, leastJobs] = [granted, made - 1];
    const copy = at('copy.rdb');
    const env = { PATH: process.env.PATH, REDISCLI_AUTH: password };
    await run(join(root, 'ops/backup/backup-redis.sh'), [copy, '-p', `${port}`], { env });
    const most = granted + 1;
    // The files after Redis, so that every result that the copy names is among them.
    cpSync(at('data/results'), at('results-copy'), { recursive: true });
    const written = granted;
    await until('they go on', () => granted > written + 10);
    writing = false;
    await Promise.all([grants, jobs]);
    await before.close();

    process.kill(redis.pid, 'SIGKILL');
    await redis.exited;
    for (const lost of ['redis', 'data']) rmSync(at(lost), { recursive: true });
    await run(join(root, 'ops/backup/restore-redis.sh'), [copy, at('redis')]);
    cpSync(at('results-copy'), at('data/results'), { recursive: true });
    redis = await openRedis();
    const after = await openService();
    try {
      const http = after.client(caller.key);
      const { data: credits } = await http.get('/v1/credits');
      assert.is(credits.account, caller.account, 'the key is valid');
      const entries = await after.parts.ledger.entries(caller.account, { limit: 100_000 });
      const grantedThen = entries.data
        .filter(({ type }) => type === 'grant')
        .reduce((sum, { balance_change }) => sum + balance_change, 0);
      assert.ok(grantedThen >= least && grantedThen <= most, `${least} ${grantedThen} ${most}`);

      const { data: listed } = await http.get('/v1/jobs?status=succeeded&limit=100');
      assert.ok(listed.data.length >= leastJobs, `${listed.data.length} of ${leastJobs}`);
      const oldest = await http.get(`/v1/jobs/${first.data.id}`);
      assert.is(oldest.data.status, 'succeeded');
      assert.is((await http.get(`/v1/jobs/${first.data.id}/result`)).data, 'enhanced');

      // What ran at the moment of the copy runs again, or fails for want of its input; either way no hold is left.
      await until('no job is unfinished', async () => {
        const { queued, processing } = await after.parts.jobs.counts();
        return queued + processing === 0;
      });
      assert.equal((await audit(after.parts.stores, caller.account)).differences, []);
      assert.is((await after.parts.ledger.balance(caller.account)).held, 0);
    } finally {
      await after.close();
    }
    const unpeppered = await openService('another-pepper-of-backups');
    const { status } = await unpeppered.client(caller.key).get('/v1/credits');
    await unpeppered.close();
    assert.is(status, 401, 'with another pepper no key is known');
    await redis.stop();
  });

const refuses = 'a restore does not write over data that is there';
test(refuses, async () => {
  writeFileSync(at('some.rdb'), 'REDIS');
  const folder = at('occupied');
  const restore = join(root, 'ops/backup/restore-redis.sh');
  await run(restore, [at('some.rdb'), folder]);
  try {
    await run(restore, [at('some.rdb'), folder]);
    assert.unreachable();
  } catch (error) {
    assert.match(String(error), /expected no .*appendonly.aof/);
  }
});

test('the command for docker compose fills an empty volume, and moves away what is there, each time', () => {
  const page = readFileSync(join(root, 'docs/operate/backup.md'), 'utf8');
  const [, script = ''] = /--entrypoint sh redis -c '(.+)' < backup\.rdb/.exec(page) ?? [];
  const volume = at('volume');
  mkdirSync(volume);
  const restore = (copy: string): void => {
    const { status, stderr } = spawnSync('sh', ['-c', script.replaceAll('/data', volume)], {
      input: copy,
      encoding: 'utf8',
    });
    assert.is(status, 0, stderr);
    assert.is(readFileSync(join(volume, 'appendonly.aof'), 'utf8'), copy);
  };
  restore('REDIS first');
  for (const copy of ['REDIS second', 'REDIS third']) {
    // As Redis 7 keeps its data once it has run.
    mkdirSync(join(volume, 'appendonlydir'));
    restore(copy);
    assert.not.ok(existsSync(join(volume, 'appendonlydir')));
  }
});

test.run();
