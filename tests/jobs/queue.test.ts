import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compiled } from '../../src/stack/compiled.mjs';
import { testEnvironment } from '../real/config.ts';
import { freshPrefix, realRedis } from '../real/redis.ts';
import { tempDir } from '../real/run.ts';

const test = suite('queue');
const redis = await realRedis();

test('a worker that is told to end as soon as it is ready ends in good order: Bull is still starting', async () => {
  const worker = execa('node', [await compiled('main'), 'worker'], {
    reject: false,
    timeout: 60_000,
    env: testEnvironment({
      LOG_LEVEL: 'info',
      REDIS_URL: redis.url,
      REDIS_PREFIX: freshPrefix(),
      DATA_DIR: tempDir('worker'),
    }),
  });
  worker.stdout.on('data', (lines: Buffer) => {
    if (lines.includes('"msg":"ready"')) worker.kill('SIGTERM');
  });
  const { exitCode, stdout } = await worker;
  assert.is(exitCode, 0, stdout);
  assert.match(stdout, '"msg":"stopped"');
});

test.after(() => redis.close());

test.run();
