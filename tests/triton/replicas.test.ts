/** Several real Tritons behind one transport. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../../src/log.ts';
import { int32 } from '../../src/triton/protocol/tensor.ts';
import { openReplicas } from '../../src/triton/replicas/replicas.ts';
import { testConfig } from '../real/config.ts';
import { ownTriton, tritonEnvironment } from '../real/triton.ts';
import { until } from '../real/until.ts';
import { data, echoed, failure, never } from './promises.ts';

const test = suite('replicas');
const log = createLog('silent', 'test');
const tritons = await Promise.all([ownTriton(['echo']), ownTriton(['echo', 'single'])]);
const [first, second] = tritons;
const environment = {
  ...tritonEnvironment(first),
  TRITON_HTTP_URL: tritons.map(({ httpUrl }) => httpUrl).join(),
  TRITON_GRPC_URL: tritons.map(({ grpcUrl }) => grpcUrl).join(),
};
const replicas = await openReplicas(testConfig(environment).triton, log);
const { transport, control } = replicas;

const input = data(4, 4, 7);
const echo = async (sleepMs: number, { signal } = new AbortController()): Promise<void> => {
  const inputs = [input, int32('SLEEP_MS', [sleepMs])];
  const [output] = await transport.infer('echo', inputs, [echoed(input)], signal);
  assert.ok(output?.data.equals(input.data));
};
const states = () => replicas.stats().replicas;
const answered = () => states().map((replica) => replica.answered);

test('work goes to the replica with the fewest requests at it', async () => {
  const before = answered();
  const pending: number[][] = [];
  const all = Array.from({ length: 24 }, () => echo(50));
  await sleep(20);
  pending.push(states().map((replica) => replica.pending));
  await Promise.all(all);
  assert.equal(pending, [[12, 12]]);
  const [a = 0, b = 0] = answered().map((count, at) => count - (before[at] ?? 0));
  assert.is(a + b, 24);
  assert.ok(a >= 8 && b >= 8, `${a} and ${b}`);
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
  assert.is(states()[0]?.healthy, false);
  await first.start();
  const isBack = () => states()[0]?.healthy && states()[0]?.ready.has('echo');
  await until('the first is back', () => isBack() === true, 15_000);
  const [before = 0] = answered();
  await Promise.all(Array.from({ length: 6 }, () => echo(50)));
  assert.ok((answered()[0] ?? 0) > before);
});

test('a model that one replica lacks is asked for at the others, and is merged as READY', async () => {
  const index = await control.repositoryIndex();
  assert.is(index.find(({ name }) => name === 'single')?.state, 'READY');
  assert.is((await control.modelConfig('single')).name, 'single');
  const sent = { ...data(1, 1, 1), shape: [3] };
  const wanted = [{ name: 'PID', datatype: 'INT32', shape: [1] }] as const;
  for (let i = 0; i < 4; i += 1) await transport.infer('single', [sent], wanted, never);
  assert.equal(
    replicas.list().map(({ state }) => state().ready.has('single')),
    [false, true],
  );
});

test('a model that no replica has is unavailable, with how each stands', async () => {
  const asked = transport.infer('nope', [input], [echoed(input)], never);
  const { cause } = await failure(asked, 'model_unavailable');
  assert.match(String(cause), /:\d+ does not have it, .*:\d+ does not have it/);
});

test.after(async () => {
  await replicas.close();
  await Promise.all([first.close(), second.close()]);
});

test.run();
