import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { statOf } from '../../src/process/proc.ts';
import { type Child, startChild, untilReady } from '../../src/stack/child.ts';
import { places } from '../../src/stack/home.mjs';
import { markOf, runsBelow, stopOrphans } from '../../src/stack/orphans.ts';
import { type StackPart, supervise } from '../../src/stack/supervise.ts';
import { partEnvironment, tempDir } from '../real/run.ts';
import { until } from '../real/until.ts';

/** A shell that has a child of its own, as Triton has its stubs. */
const family = 'sleep 300 & echo started; wait';

const start = (
  script: string,
  signal?: AbortSignal,
  env = partEnvironment(),
  niceness = 0,
): Promise<Child> => {
  const folder = tempDir('child');
  return startChild({
    name: 'Shell',
    command: 'sh',
    args: ['-c', script],
    env,
    cwd: folder,
    logFile: join(folder, 'shell.log'),
    stopWithinMs: 500,
    signal,
    niceness,
  });
};

const isAlive = (pid: number): boolean => !['Z', undefined].includes(statOf(pid)?.state);
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

const test = suite('supervise');

test('a stopped process takes its own children along', async () => {
  const child = await start(family);
  await until('the child has started', () => child.tail() === 'started');
  const [grandchild = 0] = childrenOf(child.pid);
  await child.stop();
  assert.not(isAlive(child.pid));
  await until('the grandchild has ended', () => !isAlive(grandchild));
});

const autogroups = existsSync('/proc/self/autogroup');
test('a process that is less urgent than others has a session that is too', async () => {
  const child = await start('sleep 300', undefined, partEnvironment(), 7);
  // A kernel without autogroups goes by the niceness that a process gives itself.
  if (autogroups) assert.match(readFileSync(`/proc/${child.pid}/autogroup`, 'utf8'), /nice 7$/m);
  await child.stop();
});

test('a killed process leaves no children', async () => {
  const child = await start(family);
  await until('the child has started', () => child.tail() === 'started');
  const [grandchild = 0] = childrenOf(child.pid);
  process.kill(child.pid, 'SIGKILL');
  assert.is(await child.exited, 'SIGKILL');
  await until('the grandchild has ended', () => !isAlive(grandchild));
});

test('a process that ignores SIGTERM is killed', async () => {
  const child = await start("trap '' TERM; echo deaf; while :; do sleep 0.1; done");
  await until('the child ignores SIGTERM', () => child.tail() === 'deaf');
  await child.stop();
  assert.is(await child.exited, 'SIGKILL');
});

test('why Triton ended is not pushed out by what each of its Python processes prints then', async () => {
  const frame = '13# 0x00007EFEE815B34A in /opt/tritonserver/backends/python/libtriton_python.so';
  const orphaned = 'I1126 03:38:40 20354 pb_stub.cc:2145]  Non-graceful termination detected. ';
  const child = await start(
    `echo 'keeper: Triton is ended'; for stub in $(seq 20); do echo '${frame}'; echo '${orphaned}'; done`,
  );
  await child.exited;
  assert.is(child.tail(), 'keeper: Triton is ended');
});

test('waiting for a process that ends says how it ended and what it printed', async () => {
  const child = await start('echo no port for me; exit 3');
  try {
    await untilReady(child, async () => false, 10_000);
    assert.unreachable();
  } catch (error) {
    assert.match(`${error}`, 'Shell ended with exit code 3:\nno port for me');
  }
});

test('waiting for a process that is never ready ends at the deadline and stops it', async () => {
  const child = await start(family);
  try {
    await untilReady(child, async () => false, 200);
    assert.unreachable();
  } catch (error) {
    assert.match(`${error}`, 'not ready within 200 ms');
  }
  assert.not(isAlive(child.pid));
});

test('a process that ends is restarted until it is stopped', async () => {
  const pids: number[] = [];
  const told: string[] = [];
  const part: StackPart = {
    name: 'Shell',
    start: async (signal) => {
      const child = await start(family, signal);
      pids.push(child.pid);
      return child;
    },
  };
  const supervised = supervise(part, (line) => told.push(line));
  await supervised.ready;
  process.kill(pids[0] ?? 0, 'SIGKILL');
  await until(
    'it was started again',
    () => pids.length === 2 && told.includes('Shell is running again.'),
  );
  await supervised.stop();
  await sleep(300);
  assert.is(pids.length, 2);
  assert.not(isAlive(pids[1] ?? 0));
});

test('a restart that fails is tried again, later', async () => {
  const folder = tempDir('part');
  const times: number[] = [];
  const told: string[] = [];
  const part: StackPart = {
    name: 'Shell',
    start: async (signal) => {
      times.push(Date.now());
      if (times.length === 2 || times.length === 3) throw new Error('not yet');
      const child = await start(`echo $$ > ${folder}/pid; exec sleep 300`, signal);
      if (times.length === 1) setTimeout(() => process.kill(child.pid, 'SIGKILL'), 50);
      return child;
    },
  };
  const supervised = supervise(part, (line) => told.push(line));
  await until('it is running again', () => told.includes('Shell is running again.'));
  await supervised.stop();
  const [, second = 0, third = 0, fourth = 0] = times;
  // A timer may be late, and never is early by more than the millisecond that clocks round.
  assert.ok(third - second >= 499 && fourth - third >= 999, `${times}`);
  assert.is(told.filter((line) => line.includes('not yet')).length, 2);
});

test('a first start that fails is reported and not repeated', async () => {
  let starts = 0;
  const part: StackPart = {
    name: 'Shell',
    start: async () => {
      starts += 1;
      throw new Error('no binary');
    },
  };
  const supervised = supervise(part, () => {});
  try {
    await supervised.ready;
    assert.unreachable();
  } catch (error) {
    assert.match(`${error}`, 'no binary');
  }
  await supervised.stop();
  assert.is(starts, 1);
});

test('the processes that a killed run left behind are found by its mark, and no others', async () => {
  const folder = tempDir('runs');
  const [dead, other] = [join(folder, '1'), join(folder, '2')];
  const left = await start(family, undefined, { ...process.env, ...markOf(dead) });
  const kept = await start(family, undefined, { ...process.env, ...markOf(other) });
  await until('both have started', () => left.tail() === 'started' && kept.tail() === 'started');
  assert.equal(runsBelow(folder).sort(), [dead, other]);
  assert.is(await stopOrphans(dead), 2);
  assert.not(isAlive(left.pid));
  assert.ok(isAlive(kept.pid));
  await kept.stop();
  await until('no run is left', () => runsBelow(folder).length === 0);
});

/** Listens on a port and has so much memory to give back that its end takes a while. */
const large = `
import socket, sys, time
memory = bytearray(256 << 20)
for page in range(0, len(memory), 4096): memory[page] = 1
server = socket.create_server(('127.0.0.1', 0))
print(server.getsockname()[1], flush=True)
time.sleep(300)`;

test('the ports of a killed run are free once it has been stopped', async () => {
  const run = join(tempDir('runs'), '1');
  const command = `exec '${places.python}' -c "$LARGE"`;
  const left = await start(command, undefined, { ...process.env, ...markOf(run), LARGE: large });
  await until('it listens', () => /^\d+$/.test(left.tail()));
  await stopOrphans(run);
  const server = createServer().listen(Number(left.tail()), '127.0.0.1');
  await once(server, 'listening');
  server.close();
});

test('an aborted start leaves nothing running', async () => {
  const abort = new AbortController();
  const child = await start(family, abort.signal);
  abort.abort();
  await child.exited;
  assert.not(isAlive(child.pid));
});

test.run();
