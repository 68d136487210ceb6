import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { createLog } from '../../src/log.ts';
import { openRedis } from '../../src/redis/connection.ts';
import { script } from '../../src/redis/script.ts';
import { freshPrefix, realRedis } from '../real/redis.ts';
import { tempDir } from '../real/run.ts';

const test = suite('scripts of Redis');
const server = await realRedis();
const redis = openRedis(server.url, createLog('silent', 'test'), 'work');
test.after(async () => {
  await redis.quit();
  await server.close();
});

test('an update of the files under a running process changes nothing in it, used before or not', async () => {
  const dir = tempDir('scripts');
  const [one = '', other = ''] = ['one.lua', 'other.lua'].map((name) => join(dir, name));
  for (const path of [one, other]) writeFileSync(path, "return 'old'");
  const stores = { redis, prefix: freshPrefix() };
  const [first, second] = [one, other].map((path) => script(pathToFileURL(path), z.string()));
  assert.is(await first?.(stores), 'old');
  for (const path of [one, other]) writeFileSync(path, "return 'new'");
  assert.equal([await first?.(stores), await second?.(stores)], ['old', 'old']);
});

test.run();
