import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../../src/stack/home.mjs';
import { take, takeWhenFree } from '../../src/stack/lock.mjs';
import { freshPrefix } from '../real/redis.ts';

const test = suite('lock');

test('a lock is held once, and free again after its release', async () => {
  const name = freshPrefix();
  const first = await take(name);
  assert.ok(first);
  assert.is(await take(name), undefined);
  await first.release();
  const second = await take(name);
  assert.ok(second);
  await second.release();
});

test('a lock whose holder was killed is free', async () => {
  const name = freshPrefix();
  const program = `import { take } from './src/stack/lock.mjs';
    console.log(await take('${name}') ? 'held' : 'busy'); setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(holder.stdout, 'data');
  assert.is(`${line}`.trim(), 'held');
  let waited = 0;
  const waiting = takeWhenFree(name, () => {
    waited += 1;
  });
  holder.kill('SIGKILL');
  const lock = await waiting;
  assert.is(waited, 1);
  await lock.release();
});

test.run();
