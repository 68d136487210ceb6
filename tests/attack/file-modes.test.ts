import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import axios from 'axios';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openKeys } from '../../src/accounts/keys.ts';
import { createLog } from '../../src/log.ts';
import { openRedis } from '../../src/redis/connection.ts';
import { apiPart, workerPart } from '../../src/stack/parts.ts';
import { openFiles } from '../../src/storage/files.ts';
import { realRedis } from '../real/redis.ts';
import { tempDir } from '../real/run.ts';
import { ownStack } from './api-process.ts';

const test = suite('who may read the files');
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** Every file below a folder that anyone but the owner may touch, with its mode. */
const openOnes = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${name} ${modeOf(join(folder, name))}`)
    .filter((entry) => !/ [67]00$/.test(entry));

test('folders of media that an older release left open to all are closed at the start', async () => {
  const dir = tempDir('modes');
  mkdirSync(join(dir, 'uploads'));
  writeFileSync(join(dir, 'uploads', 'upl_1'), 'private');
  for (const path of [dir, join(dir, 'uploads')]) chmodSync(path, 0o755);
  await openFiles(dir);
  for (const name of readdirSync(dir)) assert.is(modeOf(join(dir, name)), '700', name);
  assert.is(modeOf(dir), '755', 'the folder itself is the operator’s');
});

test('uploads, inputs and whatever else the API and the worker write are their owner’s alone', async () => {
  const redis = await realRedis();
  const stack = await ownStack(redis.url);
  const { env, dataDir } = stack;
  const never = new AbortController().signal;
  const processes = await Promise.all(
    [apiPart, workerPart].map((part) => part(stack).start(never)),
  );
  const connection = openRedis(redis.url, createLog('silent', 'test'), 'work');
  const stores = { redis: connection, prefix: env.REDIS_PREFIX };
  const { key } = await openKeys(stores, env.KEY_PEPPER).create({ account: 'acme' });
  const image = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#48c' } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(image)]), 'a.png');
  const answer = await axios.post(`http://127.0.0.1:${env.PORT}/v1/uploads`, form, {
    headers: { authorization: `Bearer ${key}` },
  });
  assert.is(answer.status, 201);
  assert.is(modeOf(join(dataDir, 'uploads', answer.data.id)), '600');
  assert.equal(openOnes(dataDir), []);
  for (const { pid } of processes) {
    // The mask of the process itself, which its ffmpeg inherits.
    assert.match(readFileSync(`/proc/${pid}/status`, 'utf8'), /^Umask:\t0077$/m);
  }
  for (const { stop } of processes) await stop();
  connection.disconnect();
  await redis.close();
});

test.run();
