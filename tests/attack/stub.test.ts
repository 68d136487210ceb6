/** Processes of Triton that are killed or hang. The keeper's times are a tenth of those in service. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import { type Child, signalGroup } from '../../src/stack/child.ts';
import { supervise } from '../../src/stack/supervise.ts';
import { loadModel, startTriton } from '../../src/stack/triton.ts';
import { openTransport } from '../../src/triton/open-transport.ts';
import { int32, intsOf } from '../../src/triton/protocol/tensor.ts';
import { nothingLost } from '../faults/aftermath.ts';
import { h264, makeClip, pattern } from '../real/clip.ts';
import { testConfig } from '../real/config.ts';
import { fixedDelayModels } from '../real/fixed-delay.ts';
import { freePorts } from '../real/ports.ts';
import { serverOf, stubsOf } from '../real/processes.ts';
import { adminSecret, partEnvironment, tempDir } from '../real/run.ts';
import { realService } from '../real/service.ts';
import { testModels } from '../real/triton.ts';
import { until } from '../real/until.ts';

const test = suite('a dead or hung process of Triton');
const dir = tempDir('stub');
/** A model whose process ends before it listens to Triton. */
const more = tempDir('models');
cpSync(join(testModels, 'single'), join(more, 'mute'), { recursive: true });
const mute = join(more, 'mute/triton_python_backend_stub');
writeFileSync(mute, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
const [http = 0, grpc = 0, metrics = 0] = await freePorts(3);
const address = { httpUrl: `http://127.0.0.1:${http}`, adminSecret };
const never = new AbortController().signal;
let keeper: Child | undefined;
const triton = supervise(
  {
    name: 'Triton',
    start: async (signal) => {
      keeper = await startTriton({
        ports: { http, grpc, metrics },
        host: '127.0.0.1',
        modelsDirs: [fixedDelayModels(100, 2), testModels, more],
        logFile: join(dir, 'triton.log'),
        env: { ...partEnvironment(), KEEPER_PATIENCE: '0.1' },
        signal,
      });
      for (const model of ['echo', 'single', 'photo'])
        await loadModel(address, model, 180_000, signal);
      return keeper;
    },
  },
  () => {},
);
process.once('exit', () => keeper && signalGroup(keeper.pid, 'SIGKILL'));
await triton.ready;
const service = await realService(
  { MODEL_WAIT_SECONDS: '60' },
  Promise.resolve({ ...address, grpcUrl: `127.0.0.1:${grpc}`, close: triton.stop }),
);
const granted = 1000;
const caller = await service.caller(granted);
const ids: string[] = [];
/** A video job that has begun; each size is other content. */
const begun = async (size: string): Promise<string> => {
  const clip = await makeClip(join(dir, `${size}.mp4`), pattern(2, 25, size), h264);
  const fields = { model: 'photo', scale: 2, effort: 'best' };
  const { data: made } = await caller.upscale(clip, fields, { prefer: 'respond-async' });
  ids.push(made.id);
  await caller.until(made.id, ({ progress }) => (progress?.frames_done ?? 0) >= 2);
  return made.id;
};
const isWhole = async (id: string): Promise<void> => {
  const jobs = await nothingLost(service, caller, { granted, ids });
  const job = jobs.find((one) => one.id === id);
  assert.is(job?.status, 'succeeded', JSON.stringify(job?.error));
  assert.is(job?.result?.frames, 50);
  const record = await service.stores.redis.hgetall(`${service.stores.prefix}:job:${id}`);
  assert.equal([record.attempts, record.lost], ['1', '0']);
};
const transport = await openTransport(
  testConfig({ TRITON_HTTP_URL: address.httpUrl, TRITON_ADMIN_SECRET: adminSecret }).triton,
);

const stubs = (model: string) => stubsOf(model, http);
const server = (): number => serverOf(http);

const data = { name: 'DATA', datatype: 'UINT8', shape: [1], data: Buffer.alloc(1) } as const;
/** The process that answers. */
const single = async (signal: AbortSignal, ...more: ReturnType<typeof int32>[]) => {
  const wanted = [{ name: 'PID', datatype: 'INT32', shape: [1] }] as const;
  const [pid] = await transport.infer('single', [data, ...more], wanted, signal);
  return pid && intsOf(pid)[0];
};
const echo = () => {
  const picture = { ...data, shape: [1, 1, 1] };
  const { name, datatype, shape } = picture;
  return transport.infer('echo', [picture], [{ name, datatype, shape }], never);
};
const works = async (ask: () => Promise<unknown>): Promise<boolean> => {
  try {
    await ask();
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
};
const soon = (what: string, holds: () => boolean | Promise<boolean>) => until(what, holds, 40_000);
const isNew = (before: readonly number[], model: string) => () =>
  stubs(model).some((pid) => !before.includes(pid));

test('one killed process of three is replaced within seconds, and no request fails after that', async () => {
  const before = stubs('echo');
  assert.is(before.length, 3);
  process.kill(before[1] ?? 0, 'SIGKILL');
  await soon('the model is loaded again', isNew(before, 'echo'));
  await soon('it answers', () => works(echo));
  for (let i = 0; i < 12; i += 1) await echo();
});

test('a job whose model process is killed goes on, and /v1/models says meanwhile that the model is away', async () => {
  const id = await begun('112x88');
  const isReady = async (): Promise<boolean> => {
    await sleep(100); // callers may ask only so often
    const { data: list, status } = await caller.http.get('/v1/models');
    assert.is(status, 200, JSON.stringify(list));
    return list.data.find(({ id }: { id: string }) => id === 'photo').ready;
  };
  assert.ok(await isReady());
  const before = stubs('photo');
  for (const pid of before) process.kill(pid, 'SIGKILL');
  // Loading it again takes less than the second for which an answer is kept.
  const next = () => stubs('photo').filter((pid) => !before.includes(pid));
  await soon('the model is being loaded again', () => next().length > 0);
  for (const pid of next()) process.kill(pid, 'SIGSTOP');
  await soon('it is told to be away', async () => !(await isReady()));
  for (const pid of next()) process.kill(pid, 'SIGCONT');
  await soon('it is told to be back', isReady);
  await isWhole(id);
});

test('a stopped process is replaced', async () => {
  const before = stubs('single');
  assert.is(await single(never), before[0]);
  process.kill(before[0] ?? 0, 'SIGSTOP');
  await soon('another process answers', isNew(before, 'single'));
  await soon('it answers', () => works(() => single(AbortSignal.timeout(20_000))));
});

test('a model that computes for long is left alone, and so are those who wait for it', async () => {
  const [pid] = stubs('single');
  const [long, next] = [single(never, int32('SPIN_MS', [7_000])), single(never)];
  assert.equal([await long, await next], [pid, pid]);
});

test('a model that waits for what never comes is replaced, and its caller is told that it is away', async () => {
  const before = stubs('single');
  const from = Date.now();
  const hung = await single(never, int32('SLEEP_MS', [600_000])).catch((error: unknown) => error);
  assert.ok(hung instanceof Failure && hung.code === 'model_unavailable', String(hung));
  assert.ok(Date.now() - from < 30_000, `told after ${Date.now() - from} ms`);
  await soon('another process answers', isNew(before, 'single'));
  await soon('it answers', () => works(() => single(never)));
});

test('a stopped Triton is started again, its job goes on, and /v1/models answers meanwhile', async () => {
  const id = await begun('112x80');
  const before = server();
  process.kill(before, 'SIGSTOP');
  await sleep(1_100); // what was asked before is kept for a second
  const from = Date.now();
  const { status } = await caller.http.get('/v1/models');
  assert.is(status, 200);
  // On a slow machine it may take longer, but does not wait for the next server.
  const tookMs = Date.now() - from;
  assert.ok(tookMs < 6_000 || server() === before, `answered after ${tookMs} ms`);
  await soon('another server', () => server() !== before && server() > 0);
  await soon('its models answer', () => works(echo));
  await isWhole(id);
});

test('a Triton that waits for a process that ended before it listened is started again', async () => {
  const before = server();
  const why = await loadModel(address, 'mute', 60_000, never).catch(String);
  assert.match(String(why), 'Triton could not load mute');
  assert.not.match(String(why), 'no answer within');
  await soon('another server', () => server() !== before && server() > 0);
  await soon('its models answer', () => works(echo));
});

test.after(async () => {
  await transport.close();
  await service.close();
});

test.run();
