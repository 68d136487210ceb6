/** What jobs run on: releases of one slot side by side in a real Triton. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../../src/log.ts';
import { openEverywhere, type Replica } from '../../src/models/everywhere.ts';
import { openReconcile } from '../../src/models/reconcile.ts';
import { openRegistry } from '../../src/models/registry.ts';
import { openReleases, type RepositoryReader } from '../../src/models/releases.ts';
import { added, canaried, promoted, rejected, unloaded } from '../../src/models/state.ts';
import { openRedis } from '../../src/redis/connection.ts';
import { openModel } from '../../src/triton/clients/model.ts';
import { openTransport } from '../../src/triton/open-transport.ts';
import { freshPrefix, realRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';
import { data, echoed, failure, never } from '../triton/promises.ts';
import { strings } from '../triton/strings.ts';
import { echoSlot, openRepository } from './repository.ts';

const test = suite('releases');
const log = createLog('silent', 'test');
const [triton, server] = await Promise.all([openRepository(), realRedis()]);
const transport = await openTransport(triton.config);
const redis = openRedis(server.url, log, 'work');
const stores = { redis, prefix: freshPrefix() };
const registry = openRegistry(stores, [
  { slot: 'mirror', shipped: 'r1', tritonSlots: ['echo', 'other'] },
]);
/** Asks about the first slot last: which model is said to be missing does not depend on the order of the answers. */
const reader: RepositoryReader = {
  repositoryIndex: triton.control.repositoryIndex,
  modelConfig: async (model, within) => {
    if (model === 'echo') await sleep(50);
    return triton.control.modelConfig(model, within);
  },
};
const releases = openReleases(reader, registry);
const [echo, other] = [echoSlot('echo'), echoSlot('other')];
const both = [echo, other];

const stable = async () => (await releases.stable('mirror', both)).models.version;
const found = async (ref: string, pinned = false) =>
  (await releases.find(ref, both, pinned))?.version ?? null;
const whyNot = async (work: Promise<unknown>): Promise<string> =>
  String((await failure(work, 'model_unavailable')).cause);
const add = (name: string, echoName: string) =>
  registry.change(
    'mirror',
    (state) => added(state, name, { models: { echo: echoName, other: 'other' } }),
    null,
  );
const promote = (name: string) =>
  registry.change('mirror', (state) => promoted(state, name, Date.now()), null);

test('what ships is stable, and unavailable until all of it is ready', async () => {
  assert.match(await whyNot(stable()), 'the repository has no model of this name');
  triton.put('echo', 'echo-r1');
  assert.match(await whyNot(stable()), /expected echo to be READY; it is never loaded/);
  await triton.load('echo', 'echo-r1');
  assert.match(await whyNot(stable()), /expected other to be READY/);
  await triton.load('other', 'other-r1');
  assert.is(await stable(), 'echo-r1+other-r1');
});

test('a release that is loaded gets no job until an alias means it', async () => {
  await triton.load('echo__r2', 'second');
  assert.is(await stable(), 'echo-r1+other-r1');
  assert.is(await found('mirror@r2'), null, 'Triton has it, and nobody has added it');
  await add('r2', 'echo__r2');
  assert.equal([await stable(), await found('mirror@r2')], ['echo-r1+other-r1', 'second+other-r1']);
  await promote('r2');
  assert.equal([await stable(), await found('mirror@r1')], ['second+other-r1', 'echo-r1+other-r1']);
});

test('each release answers requests of its own, and fails under the name of its slot', async () => {
  const input = data(3, 2, 1);
  for (const [ref, version, name] of [
    ['mirror@r1', 'echo-r1', 'echo'],
    ['mirror@r2', 'second', 'echo__r2'],
  ] as const) {
    const loaded = (await releases.find(ref, both, false))?.of('echo');
    if (!loaded) throw new Error(`${ref} is gone`);
    assert.equal([loaded.name, loaded.release], [name, version]);
    const ask = openModel(transport, loaded);
    const of = await ask([input], [echoed(input)], never);
    assert.ok(of('DATA').data.equals(input.data));
    const failing = ask([input, strings('FAIL', ['no'])], [echoed(input)], never);
    assert.equal((await failure(failing, 'inference_failed')).facts, {
      model: 'echo',
      reason: 'no',
    });
  }
});

test('a release that is not ready is waited for; one that was unloaded or removed is gone', async () => {
  await triton.unload('echo');
  await whyNot(found('mirror@r1'));
  await registry.change('mirror', (state) => unloaded(state, 'r1'), null);
  assert.is(await found('mirror@r1'), null);
  assert.is(await found('mirror@r9'), null);
});

test('a release that was taken back runs only the jobs that asked for it', async () => {
  triton.put('echo__r3', 'third');
  await triton.control.load('echo__r3', 30_000);
  await add('r3', 'echo__r3');
  const half = { percent: 50, mirror: 0 };
  await registry.change('mirror', (state) => canaried(state, 'r3', half, 1), null);
  assert.is(await found('mirror@r3'), 'third+other-r1');
  await registry.change('mirror', (state) => rejected(state, 'r3', 'NaN', 2), null);
  assert.equal(
    [await found('mirror@r3'), await found('mirror@r3', true)],
    [null, 'third+other-r1'],
  );
});

test('a release that does not fit the contract is gone; a stable one is unavailable, with the difference', async () => {
  triton.put('echo__r4', 'fourth', { dims: '-1, -1' });
  await triton.control.load('echo__r4', 30_000);
  await add('r4', 'echo__r4');
  assert.is(await found('mirror@r4'), null);
  await promote('r4');
  const why = await whyNot(stable());
  assert.match(why, 'expected the input "DATA" as TYPE_UINT8 [-1,-1,-1], got "TYPE_UINT8 [-1,-1]"');
  await promote('r2');
});

test('the loop brings a restarted Triton to what is in use, and unloads what is not', async () => {
  const one = { name: 'one', control: triton.control, state: () => ({ healthy: true }) };
  const replicas = { list: (): Replica[] => [one] };
  const everywhere = openEverywhere({
    stores,
    registry,
    replicas,
    loadWithinMs: 30_000,
    signal: never,
    log,
  });
  const reconcile = openReconcile({ registry, everywhere, modelsDir: '', keepMs: 0, log });
  await triton.kill();
  const { message } = await failure(everywhere.load('mirror@r2', ['other']), 'model_unavailable');
  assert.match(
    message,
    /^The model "mirror@r2" is not ready: the Triton at one did not load it\. Noth/,
  );
  replicas.list = () => [];
  const none = await failure(everywhere.load('mirror@r2', ['other']), 'model_unavailable');
  assert.match(
    none.message,
    /is not ready: no Triton is up\. Nothing was changed\. Try again once/,
  );
  replicas.list = () => [one];
  await triton.start();
  // Whoever starts Triton loads what ships: here also what is not to be there any more.
  for (const name of ['echo', 'other']) await triton.control.load(name, 30_000);
  const state = async () => {
    await reconcile();
    const index = await triton.control.repositoryIndex();
    return index.flatMap((entry) => (entry.state === 'READY' ? [entry.name] : [])).sort();
  };
  const wanted = ['echo__r2', 'other'];
  // r3 was taken back and r4 replaced: both are retired, and no job needs them.
  await until('Triton has what is in use', async () => `${await state()}` === `${wanted}`);
  assert.is(await stable(), 'second+other-r1');
  const { releases: after } = await registry.read('mirror');
  assert.equal([after.r3?.loaded, after.r4?.loaded], [false, false]);
});

test('a process that ends while it loads a model holds up the others for its lease only; one that goes on, all along', async () => {
  const leaseMs = 2_000;
  const loads: (() => void)[] = [];
  /** Its loads take until they are ended here. */
  const control = {
    ...triton.control,
    repositoryIndex: async () => [],
    load: () => new Promise<void>((resolve) => void loads.push(resolve)),
  };
  const slow = { name: 'slow', control, state: () => ({ healthy: true }) };
  const load = (connection = redis) => {
    const own = { stores: { ...stores, redis: connection }, replicas: { list: () => [slow] } };
    const parts = { ...own, registry, loadWithinMs: 180_000, signal: never, log };
    return openEverywhere(parts, leaseMs).loadOn(slow, 'echo');
  };
  const dying = openRedis(server.url, log, 'work');
  const first = load(dying);
  await until('the first one loads', () => loads.length === 1);
  // As `kill -9` does.
  dying.disconnect();

  const second = load();
  await until('the second one loads', () => loads.length === 2);
  const third = load();
  await sleep(2 * leaseMs);
  assert.is(loads.length, 2, 'the second one still loads');
  loads[1]?.();
  await second;
  await until('the third one loads', () => loads.length === 3);
  loads[2]?.();
  await third;
  loads[0]?.();
  assert.match(String(await first.catch(String)), 'Connection is closed');
});

test.after(async () => {
  redis.disconnect();
  await transport.close();
  await Promise.all([triton.close(), server.close()]);
});

test.run();
