import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { home, root } from '../../src/stack/home.mjs';
import { markOf, runsBelow } from '../../src/stack/orphans.ts';
import { portNames } from '../../src/stack/ports.ts';
import { freePorts } from '../real/ports.ts';
import { tempDir } from '../real/run.ts';

/** A home whose parts are the ones of this checkout and whose data are its own. */
const ownHome = (): string => {
  const folder = tempDir('start');
  for (const name of ['venv', 'wheels', 'weights', 'triton', 'redis', 'bin', 'sample.png'])
    symlinkSync(join(home, name), join(folder, name));
  mkdirSync(join(folder, 'data'));
  return folder;
};

/** What the caller of npm start has, and no process that it starts may get. */
const foreign = { AWS_SECRET_ACCESS_KEY: 'cloud-of-a-test', NPM_TOKEN: 'npm-of-a-test' };
const own = ['KEY_PEPPER', 'SIGNING_SECRET', 'ADMIN_KEY'];

const folder = ownHome();
const ports = await freePorts(portNames.length);
const env: NodeJS.ProcessEnv = {
  ...process.env,
  ...Object.fromEntries(portNames.map((name, i) => [name, `${ports[i]}`])),
  ENHANCE_HOME: folder,
  ENHANCE_THREADS: '', // as many as there are, as for who sets nothing
  ...foreign,
};
const [address, triton] = [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[2]}`];

type Started = { readonly process: ChildProcess; printed(): string; ended: Promise<unknown[]> };

const npmStart = (changed: NodeJS.ProcessEnv = {}): Started => {
  const process = spawn('npm', ['start'], {
    cwd: root,
    env: { ...env, ...changed },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [process.stdout, process.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
    });
  return { process, printed: () => printed, ended: once(process, 'close') };
};

/** A guard against waiting for ever, and no promise: all models load meanwhile. */
const withinMs = 280_000;
const until = async (what: () => boolean | Promise<boolean>, say: () => string): Promise<void> => {
  for (const deadline = Date.now() + withinMs; !(await what()); await sleep(100))
    assert.ok(Date.now() < deadline, `not within ${withinMs / 1000} s: ${say()}`);
};
const isReady = async (): Promise<boolean> => {
  try {
    return (await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(5_000) })).ok;
  } catch {
    return false; // nothing listens
  }
};
const untilWelcome = (started: Started) =>
  until(() => started.printed().includes('is ready at'), started.printed);
const keyIn = (printed: string) => /key +(mes_live_\w+)/.exec(printed)?.[1] ?? '';
const processes = () => runsBelow(join(folder, 'run')).length;

/** The processes of this start by their name, with their environments. */
const environments = (): { name: string; environment: string }[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
        const ours = environment.includes(`ENHANCE_RUN=${folder}/`);
        return ours
          ? [{ name: readFileSync(`/proc/${pid}/comm`, 'utf8').trim(), environment }]
          : [];
      } catch {
        return []; // another account's, or it has just ended
      }
    });

/** What the printed curl line sends. */
const tryIt = async (printed: string): Promise<Response> => {
  const image = /image=@(\S+)/.exec(printed)?.[1] ?? '';
  const form = new FormData();
  form.append('model', 'photo');
  form.append('scale', '2');
  form.append('image', new Blob([readFileSync(image)]), 'sample.png');
  return fetch(`${address}/v1/upscale`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${keyIn(printed)}` },
    signal: AbortSignal.timeout(withinMs),
  });
};

/** How `enhance models releases`, which asks Triton about all models, ends when nobody reads what it prints, as behind `| true`. */
const unreadReleases = async () => {
  const words = ['src/cli/bin.mjs', 'models', 'releases'];
  const command = spawn(process.execPath, words, {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  command.stdout.destroy();
  const [complaints, [code]] = await Promise.all([text(command.stderr), once(command, 'close')]);
  return { complaints, code };
};

/** The server of this start, by its port. */
const tritonPid = (): number => {
  const found = readdirSync('/proc').find((name) => {
    const file = `/proc/${name}/cmdline`;
    if (!/^\d+$/.test(name) || !existsSync(file)) return false;
    const words = readFileSync(file, 'utf8').split('\0');
    return words[0]?.endsWith('/tritonserver') && words.includes(`--http-port=${ports[2]}`);
  });
  return Number(found);
};

const test = suite('npm start');
const first = npmStart({ WORKERS: '2' });

test('it prints an address, a key and a call that works', async () => {
  await untilWelcome(first);
  const printed = first.printed();
  assert.match(printed, `enhance is ready at ${address}`);
  const answer = await tryIt(printed);
  assert.is(answer.status, 200, await answer.clone().text());
  for (const name of ['secrets.env', 'dev-key'])
    assert.is(statSync(join(folder, 'data', name)).mode & 0o777, 0o600, name);

  const found = environments();
  const names = new Set(found.map(({ name }) => name));
  for (const name of ['redis-server', 'tritonserver', 'triton_python_b', 'node'])
    assert.ok(names.has(name), `${name} of ${[...names]}`);
  for (const { name, environment } of found) {
    for (const word of [...Object.entries(foreign).flat(), 'npm_'])
      assert.not.match(environment, word);
    // esbuild is tsx's, and so a part of API and worker; it runs when they are not compiled yet.
    for (const word of ['node', 'esbuild'].includes(name) ? [] : own)
      assert.not.match(environment, `${word}=`, name);
  }
  for (const name of readdirSync(join(folder, 'logs')))
    assert.is(statSync(join(folder, 'logs', name)).mode & 0o777, 0o600, name);

  for (const name of ['worker.log', 'worker-2.log']) {
    const log = () => readFileSync(join(folder, 'logs', name), 'utf8');
    await until(() => log().includes('"msg":"ready"'), log);
  }

  assert.equal(await unreadReleases(), { complaints: '', code: 0 });

  const second = npmStart();
  const [code] = await second.ended;
  assert.is(code, 1);
  portNames.forEach((name, i) => {
    assert.match(second.printed(), `port ${ports[i]} is in use; ${name} changes it`);
  });
  assert.not.match(second.printed(), /SetupError|\.[jt]s:\d/, 'a sentence, and no trace of calls');
  await until(isReady, first.printed);

  process.kill(tritonPid(), 'SIGKILL');
  await until(async () => !(await isReady()), first.printed);
  await until(isReady, first.printed);
  // The API counts a model as ready that was so lately, while Triton's threads are busy with loads.
  const isLoaded = async () => (await fetch(`${triton}/v2/models/detail/ready`)).status === 200;
  await until(isLoaded, first.printed);
});

test('what a killed start left behind is stopped by the next one, whose key is the same', async () => {
  const [npm = 0] = [first.process.pid];
  const children = readFileSync(`/proc/${npm}/task/${npm}/children`, 'utf8').trim().split(' ');
  for (const pid of children) process.kill(Number(pid), 'SIGKILL');
  await first.ended;
  assert.equal(runsBelow(join(folder, 'run')), [
    Object.values(markOf(join(folder, 'run/start')))[0],
  ]);

  const temporary = join(folder, 'run/triton');
  mkdirSync(join(temporary, 'enhance-models-left'));

  const second = npmStart();
  try {
    await untilWelcome(second);
    const [copy = '', ...others] = readdirSync(temporary);
    assert.match(copy, /^enhance-models-(?!left)/);
    assert.equal(others, []);
    assert.match(
      second.printed(),
      /stopped \d+ process(es)? that an earlier npm start left behind/,
    );
    assert.is(keyIn(second.printed()), keyIn(first.printed()));
    const answer = await tryIt(second.printed());
    assert.is(Object(await answer.json()).cached, true);
  } finally {
    second.process.kill('SIGTERM');
    await second.ended;
  }
  assert.match(second.printed(), /stopped\.\n/);
  await until(() => processes() === 0, second.printed);
  assert.equal(
    readdirSync('/dev/shm').filter((name) => name.startsWith(`enhance_${ports[2]}_`)),
    [],
  );
});

test('a start that Triton ends by a wrong setting says why, and leaves nothing running', async () => {
  const failing = npmStart({ KEEPER_PATIENCE: 'x' });
  const [code] = await failing.ended;
  assert.is(code, 1);
  assert.match(failing.printed(), 'KEEPER_PATIENCE: expected a number above 0');
  await until(() => processes() === 0, failing.printed);
});

test.after(async () => {
  first.process.kill('SIGTERM'); // where the first test failed and the second did not come to it
  await first.ended;
});

test.run();
