import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

import { compiled, nodeOptions } from '../src/stack/compiled.mjs';
import { root } from '../src/stack/home.mjs';
import { testEnvironment } from './real/config.ts';
import { realRedis } from './real/redis.ts';
import { tempDir } from './real/run.ts';

const redis = await realRedis();
const taken = createServer().listen(0, '127.0.0.1');
await once(taken, 'listening');
const address = taken.address();
const takenPort = address && typeof address === 'object' ? address.port : 0;
const wrongPassword = new URL(redis.url);
wrongPassword.password = 'a-wrong-password';

const test = suite('a start that cannot be');
test.after(async () => {
  taken.close();
  await redis.close();
});

const cases: readonly [
  symptom: string,
  settings: NodeJS.Dict<string>,
  told: RegExp,
  part?: string,
][] = [
  ['no Perl', { PATH: join(root, 'tests') }, /^ {2}FFMPEG_NETWORK: .*FFMPEG_NETWORK=open/m],
  ['no ffmpeg', { FFMPEG: '/nope' }, /^ {2}FFMPEG: expected .*"\/nope -version" fails$/m],
  ['a wrong password', { REDIS_URL: wrongPassword.href }, /^ {2}REDIS_URL: WRONGPASS /m],
  [
    'a database that Redis lacks',
    { REDIS_URL: `${redis.url}/4000` },
    /^ {2}REDIS_URL: ERR .*DB index /m,
  ],
  [
    'a database that the worker’s Redis lacks',
    { REDIS_URL: `${redis.url}/4000` },
    /^ {2}REDIS_URL: ERR .*DB index /m,
    'worker',
  ],
  ['a folder in /proc', { DATA_DIR: '/proc/nope/data' }, /^ {2}DATA_DIR: ENOENT: .*\/proc\/nope'/m],
  ['a folder below a file', { DATA_DIR: '/dev/null/data' }, /^ {2}DATA_DIR: ENOTDIR: /m],
  ['an unknown host', { HOST: 'no.such.host.invalid' }, /^ {2}HOST: getaddrinfo ENOTFOUND /m],
  ['a taken port', { PORT: `${takenPort}` }, /^ {2}HOST or PORT: .* address already in use /m],
  [
    'a taken port of figures',
    { METRICS_PORT: `${takenPort}`, PROVENANCE: 'off' },
    /^ {2}METRICS_HOST or METRICS_PORT: .* address already in use /m,
    'worker',
  ],
  [
    'a Python that cannot sign',
    { PROVENANCE_PYTHON: '/nowhere/python' },
    /^Content credentials cannot be signed /,
    'worker',
  ],
];

test('it ends with 1 and names the variable at fault in plain text, without a password', async () => {
  const main = await compiled('main');
  const ends = cases.map(async ([symptom, settings, told, part = 'api']) => {
    const env = testEnvironment({ REDIS_URL: redis.url, DATA_DIR: tempDir('start'), ...settings });
    const child = spawn(process.execPath, [...nodeOptions, main, part], {
      cwd: root,
      env: { PATH: process.env.PATH, ...env },
      timeout: 60_000,
    });
    const [[code], stdout, stderr] = await Promise.all([
      once(child, 'exit'),
      text(child.stdout),
      text(child.stderr),
    ]);
    assert.is(code, 1, `${symptom}: ${stderr}`);
    assert.match(stderr, told, symptom);
    assert.not.match(stdout + stderr, wrongPassword.password);
  });
  await Promise.all(ends);
});

test.run();
