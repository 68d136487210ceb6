/** Several real Tritons behind one transport. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../../src/log.ts';
import { openControl } from '../../src/triton/protocol/control.ts';
import { int32 } from '../../src/triton/protocol/tensor.ts';
import { openInFlight } from '../../src/triton/replicas/in-flight.ts';
import { openReplicas } from '../../src/triton/replicas/replicas.ts';
import { testConfig } from '../real/config.ts';
import { serverOf } from '../real/processes.ts';
import { ownTriton, tritonEnvironment } from '../real/triton.ts';
import { until } from '../real/until.ts';
import { data, echoed, failure } from './promises.ts';
import { strings } from './strings.ts';

const test = suite('replicas');
const log = createLog('silent', 'test');
const tritons = await Promise.all([ownTriton(['echo']), ownTriton(['echo', 'single'])]);
const [first, second] = tritons;
const { triton: config } = testConfig({
  ...tritonEnvironment(first),
  TRITON_HTTP_URL: tritons.map(({ httpUrl }) => httpUrl).join(),
  TRITON_GRPC_URL: tritons.map(({ grpcUrl }) => grpcUrl).join(),
});
const replicas = await openReplicas(config, log);
const { transport, control } = replicas;

const input = data(4, 4, 7);
const echo = async (sleepMs: number, { signal } = new AbortController()): Promise<void> => {
  const inputs = [input, int32('SLEEP_MS', [sleepMs])];
  const [output] = await transport.infer('echo', inputs, [echoed(input)], signal);
  assert.ok(output?.data.equals(input.data));
};
const ask = async (on: typeof transport): Promise<void> => {
  await on.infer('echo', [input], [echoed(input)], new AbortController().signal);
};
const askSingle = async (): Promise<void> => {
  const wanted = [{ name: 'PID', datatype: 'INT32', shape: [1] }] as const;
  const { signal } = new AbortController();
  await transport.infer('single', [{ ...data(1, 1, 1), shape: [3] }], wanted, signal);
};
const states = () => replicas.stats().replicas;
const answered = () => states().map((replica) => replica.answered);
const untilBack = (at: number): Promise<void> =>
  until(
    `replica ${at} gets work`,
    () => states()[at]?.healthy === true && states()[at]?.ready.has('echo') === true,
  );

test('work goes to the replica with the fewest requests at it', async () => {
  const before = answered();
  const all = Promise.all(Array.from({ length: 24 }, () => echo(500)));
  await until(
    'each has its half of them',
    () =>
      states()
        .map(({ pending }) => pending)
        .join() === '12,12',
  );
  await all;
  const [a = 0, b = 0] = answered().map((count, at) => count - (before[at] ?? 0));
  assert.equal([a, b], [12, 12]);
});

test('a replica killed in the middle of 200 requests costs none of them, and gets work again when it is back', async () => {
  const left = Array.from({ length: 200 }, (_, i) => i);
  const lane = async () => {
    while (left.pop() !== undefined) await echo(20);
  };
  const lanes = Promise.all(Array.from({ length: 8 }, lane));
  await until('half is done', () => left.length < 120);
  await first.kill();
  await lanes;
  assert.ok(replicas.stats().repeated > 0);
  // Those who were cut off say so first; the next look finds that nothing listens.
  await until(
    'it is known to be gone',
    () => states()[0]?.lastError?.includes('ECONNREFUSED') === true,
  );
  assert.equal(
    states().map(({ healthy }) => healthy),
    [false, true],
  );
  assert.ok((states()[0]?.ejections ?? 0) > 0);
  await first.start();
  await untilBack(0);
  const [before = 0] = answered();
  await Promise.all(Array.from({ length: 6 }, () => echo(50)));
  assert.is(answered()[0], before + 3);
});

test('a model that one replica lacks is asked for at the other, and counts as READY', async () => {
  const index = await control.repositoryIndex();
  assert.is(index.find(({ name }) => name === 'single')?.state, 'READY');
  assert.is((await control.modelConfig('single')).name, 'single');
  for (let i = 0; i < 4; i += 1) await askSingle();
  assert.equal(
    replicas.list().map(({ state }) => state().ready.has('single')),
    [false, true],
  );
});

test('a model is used as soon as one replica has loaded it, and no longer once it is unloaded', async () => {
  await openControl(second).unload('single');
  await failure(askSingle(), 'model_unavailable');
  await openControl(first).load('single', 30_000);
  await askSingle();
  await openControl(first).unload('single');
  await failure(askSingle(), 'model_unavailable');
});

test('a model that no replica has is unavailable, and the cause tells how each stands', async () => {
  const { signal } = new AbortController();
  const asked = transport.infer('nope', [input], [echoed(input)], signal);
  const { cause } = await failure(asked, 'model_unavailable');
  assert.match(String(cause), /:\d+ does not have it, .*:\d+ does not have it/);
});

test("a model's own error is not repeated on another replica", async () => {
  const before = replicas.stats().repeated;
  const { signal } = new AbortController();
  const inputs = [input, strings('FAIL', ['too dark'])];
  const asked = transport.infer('echo', inputs, [echoed(input)], signal);
  assert.is((await failure(asked, 'inference_failed')).facts.reason, 'too dark');
  assert.is(replicas.stats().repeated, before);
});

test('a caller that leaves stops waiting at once, and its request is not repeated', async () => {
  const before = replicas.stats().repeated;
  const leaving = new AbortController();
  const asked = echo(5_000, leaving).catch((error: unknown) => error);
  await sleep(50);
  const reason = new Error('enough');
  leaving.abort(reason);
  assert.is(await asked, reason);
  assert.is(replicas.stats().repeated, before);
  assert.equal(
    states().map(({ pending }) => pending),
    [0, 0],
  );
});

test('a replica that hangs gets no work after seconds, and works again when it answers', async () => {
  // ownTriton's process is the keeper that watches over it.
  const pid = serverOf(new URL(second.httpUrl).port);
  assert.ok(pid > 0, second.httpUrl);
  process.kill(pid, 'SIGSTOP');
  try {
    await until('it is ejected', () => states()[1]?.ejectedUntil !== null);
    await Promise.all(Array.from({ length: 12 }, () => echo(10)));
    const index = await control.repositoryIndex();
    assert.is(index.find(({ name }) => name === 'echo')?.state, 'READY');
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await untilBack(1);
});

test('requests at a server that stays silent can be given up, as lost ones', async () => {
  const requests = openInFlight(transport);
  const { signal } = new AbortController();
  const inputs = [input, int32('SLEEP_MS', [5_000])];
  const asked = failure(
    requests.infer('echo', inputs, [echoed(input)], signal),
    'model_unavailable',
  );
  await sleep(50);
  requests.giveUp('it is silent');
  assert.match(String((await asked).cause), 'it is silent');
  assert.is(requests.pending(), 0);
});

test('over gRPC each replica has a channel of its own', async () => {
  const overGrpc = await openReplicas({ ...config, transport: 'grpc' }, log);
  await Promise.all(Array.from({ length: 8 }, () => ask(overGrpc.transport)));
  assert.equal(
    overGrpc.stats().replicas.map((replica) => replica.answered),
    [4, 4],
  );
  await overGrpc.close();
});

test('close ends what is under way', async () => {
  const asked = failure(echo(5_000), 'model_unavailable');
  await sleep(50);
  await replicas.close();
  await asked;
});

const named = (url: string) => new URL(url).port;
const dns = testConfig({
  ...tritonEnvironment(first),
  TRITON_DISCOVERY: 'dns',
  TRITON_HTTP_URL: `http://localhost:${named(first.httpUrl)}`,
  TRITON_GRPC_URL: `localhost:${first.grpcUrl.split(':')[1]}`,
}).triton;

test("a host name is looked up with the system's resolver", async () => {
  const found = await openReplicas(dns, log);
  assert.equal(
    found.list().map(({ name }) => name),
    [`127.0.0.1:${named(first.httpUrl)}`],
  );
  await ask(found.transport);
  await found.close();
});

test('replicas come and go with the addresses of their host name; a name server that fails changes nothing', async () => {
  let addresses: readonly string[] | null = ['127.0.0.1'];
  let lookups = 0;
  const resolve = async () => {
    lookups += 1;
    if (!addresses) throw new Error('SERVFAIL');
    return addresses.map((address) => ({ address, family: 4 }));
  };
  const found = await openReplicas(dns, log, { resolve, resolveMs: 50 });
  const hosts = () => found.list().map(({ name }) => name.split(':')[0]);
  assert.equal(hosts(), ['127.0.0.1']);
  // Nobody listens there: a replica that is still starting.
  addresses = ['127.0.0.1', '127.0.0.9'];
  await until('the second is known', () => hosts().length === 2);
  for (let i = 0; i < 6; i += 1) await ask(found.transport);
  assert.equal(
    found.list().map(({ state }) => state().healthy),
    [true, false],
  );
  addresses = null;
  const before = lookups;
  await until('it has failed twice', () => lookups > before + 1);
  assert.equal(hosts(), ['127.0.0.1', '127.0.0.9']);
  addresses = ['127.0.0.1'];
  await until('the second has left', () => hosts().length === 1);
  await ask(found.transport);
  await found.close();
});

test.after(async () => {
  await Promise.all(tritons.map((triton) => triton.close()));
});

test.run();
