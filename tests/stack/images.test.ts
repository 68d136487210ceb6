import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startChild, untilReady } from '../../src/stack/child.ts';
import { places, root } from '../../src/stack/home.mjs';
import { freePorts } from '../real/ports.ts';
import { partEnvironment, tempDir } from '../real/run.ts';
import { testModels } from '../real/triton.ts';

const files = ['src/Dockerfile', 'inference/Dockerfile'];
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const faultsIn = (text: string) =>
  validate(text).map(({ range, message }) => `line ${range.start.line + 1}: ${message}`);

const test = suite('images');

test('the Dockerfiles have no fault that can be seen without building them', () => {
  for (const file of files) assert.equal(faultsIn(read(file)), [], file);
  assert.equal(faultsIn('FROM node:24\nCOPY one\nRUNN two'), [
    'line 2: COPY requires at least two arguments',
    'line 3: Unknown instruction: RUNN',
  ]);
});

test('what the Dockerfiles copy is sent to the build', () => {
  const sent = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'));
  const copied = files.flatMap((file) =>
    [...read(file).matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    ),
  );
  assert.ok(copied.includes('client'));
  for (const name of copied) {
    assert.ok(existsSync(join(root, name)), name);
    assert.ok(sent.includes(`!${name.split('/')[0]}`), `${name} is left out by .dockerignore`);
  }
});

test('the service runs on Node 24 in its image, and none runs as root', () => {
  assert.match(read('src/Dockerfile'), /^FROM node:24-bookworm-slim$/m);
  for (const file of files) {
    const users = [...read(file).matchAll(/^USER (.+)$/gm)].map(([, user]) => user);
    assert.equal(users.length, 1, file);
    assert.not.match(`${users}`, /^(root|0)/);
  }
});

/** The embedded server, laid out as in NVIDIA's image: its library beside it, the others where the loader finds them. */
const layout = () => {
  const folder = join(tempDir('layout'), 'tritonserver');
  const libraries = join(places.triton, 'nvidia_pytriton.libs');
  const own = readdirSync(libraries).find((name) => name.startsWith('libtritonserver-')) ?? '';
  for (const name of ['bin', 'backends'])
    cpSync(join(places.tritonServer, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, 'lib'));
  symlinkSync(join(libraries, own), join(folder, 'lib/libtritonserver.so'));
  return { folder, libraries };
};

const slim = (server: string, libraries: string, to: string) =>
  spawnSync('sh', [join(root, 'inference/slim.sh'), to], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, SERVER: server, LD_LIBRARY_PATH: libraries },
  });

test('what the slim image takes of Triton runs a Python model, in less than 300 MB', async () => {
  const { folder, libraries } = layout();
  const to = tempDir('slim');
  const { status, stdout, stderr } = slim(folder, libraries, to);
  assert.is(status, 0, stdout + stderr);
  const server = join(to, 'opt/tritonserver');
  const size = spawnSync('du', ['-sm', server], { encoding: 'utf8' }).stdout;
  assert.ok(Number.parseInt(size, 10) < 300, size);

  const [http = 0, grpc = 0, metrics = 0] = await freePorts(3);
  const child = await startChild({
    name: 'slim Triton',
    command: join(server, 'bin/tritonserver'),
    args: [
      ...[`--backend-directory=${server}/backends`, `--model-repository=${testModels}`],
      ...['--model-control-mode=explicit', '--load-model=echo', '--http-address=127.0.0.1'],
      ...['--grpc-address=127.0.0.1', '--metrics-address=127.0.0.1'],
      ...[`--http-port=${http}`, `--grpc-port=${grpc}`, `--metrics-port=${metrics}`],
    ],
    env: {
      ...partEnvironment(),
      PATH: `${places.venv}/bin:${process.env.PATH}`,
      LD_LIBRARY_PATH: join(server, 'lib'),
    },
    cwd: root,
    logFile: join(tempDir('slim-log'), 'triton.log'),
    stopWithinMs: 1_000,
    signal: new AbortController().signal,
  });
  try {
    const url = `http://127.0.0.1:${http}/v2/models/echo/ready`;
    await untilReady(child, async (signal) => (await fetch(url, { signal })).ok, 60_000);
    const mapped = readFileSync(`/proc/${child.pid}/maps`, 'utf8');
    assert.match(mapped, `${server}/lib/libtritonserver`);
    assert.not.match(mapped, 'nvidia_pytriton.libs');
  } finally {
    await child.stop();
  }
});

test('a library that is missing ends the build, by its name', () => {
  const { folder } = layout();
  const { status, stdout, stderr } = slim(folder, '', tempDir('slim'));
  assert.is(status, 1);
  assert.match(stdout, /libcudart\S* => not found/);
  assert.match(stderr, 'are missing in this image');
});

test.run();
