/** Releases of one slot side by side in a real Triton. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openReleases } from '../../src/models/releases.ts';
import { openModel } from '../../src/triton/clients/model.ts';
import { openTransport } from '../../src/triton/open-transport.ts';
import { data, echoed, failure, never } from '../triton/promises.ts';
import { strings } from '../triton/strings.ts';
import { echoSlot, openRepository } from './repository.ts';

const test = suite('releases');
const triton = await openRepository();
const transport = await openTransport(triton.config);
const releases = openReleases(triton.control);
const [echo, other] = [echoSlot('echo'), echoSlot('other')];

const current = async () => (await releases.current([echo])).version;
const found = async (version: string) => (await releases.find(version, [echo]))?.of('echo').name;
/** What the log would say of a slot without a release. */
const whyNot = async (work: Promise<unknown>): Promise<string> => {
  const { cause } = await failure(work, 'model_unavailable');
  return String(cause);
};

test('a slot of which nothing was ever loaded is unavailable, not gone', async () => {
  assert.match(await whyNot(current()), 'the repository has no model of this name');
  triton.put('echo', 'echo-r1');
  assert.match(await whyNot(current()), /expected a release that is READY; .*/);
  await whyNot(found('echo-r1'));
});

test('the highest number is current, and unloading it brings back the one before', async () => {
  await triton.load('echo', 'echo-r1');
  assert.is(await current(), 'echo-r1');
  await triton.load('echo__r2', 'second');
  assert.is(await current(), 'second');
  await triton.load('echo__r10', 'tenth');
  assert.is(await current(), 'tenth');
  await triton.unload('echo__r10');
  assert.is(await current(), 'second');
  assert.is((await releases.current([echo])).of('echo').name, 'echo__r2');
});

test('a release is found as long as it is loaded, and gone after', async () => {
  assert.is(await found('echo-r1'), 'echo');
  assert.is(await found('second'), 'echo__r2');
  assert.is(await found('tenth'), undefined);
  assert.is(await found('never heard of'), undefined);
});

test('a model with another suffix is found, and never current', async () => {
  await triton.load('echo__trial', 'trial');
  assert.is(await current(), 'second');
  assert.is(await found('trial'), 'echo__trial');
});

test('models whose names only begin alike are no releases of a slot', async () => {
  await triton.load('echo_r99', 'ninety-ninth');
  await triton.load('echoes', 'echoes');
  assert.is(await current(), 'second');
  assert.is(await found('ninety-ninth'), undefined);
});

test('each release answers requests of its own, and fails under the name of its slot', async () => {
  const input = data(3, 2, 1);
  for (const [version, name] of [
    ['echo-r1', 'echo'],
    ['second', 'echo__r2'],
  ] as const) {
    const loaded = (await releases.find(version, [echo]))?.of('echo');
    if (!loaded) throw new Error(`${version} is gone`);
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

test('a set of slots has one version, and is gone when one of its releases is', async () => {
  await triton.load('other', 'other-r1');
  const set = await releases.current([echo, other]);
  assert.is(set.version, 'second+other-r1');
  assert.equal([set.of('echo').name, set.of('other').name], ['echo__r2', 'other']);
  assert.throws(() => set.of('photo'), /the slot photo was not asked for/);
  assert.is((await releases.find('echo-r1+other-r1', [echo, other]))?.version, 'echo-r1+other-r1');
  for (const version of ['tenth+other-r1', 'other-r1+second', 'second', 'second+other-r1+x', ''])
    assert.is(await releases.find(version, [echo, other]), null, version);
});

test('a model that is loaded again under a new release is that release at once', async () => {
  await triton.load('echo__r2', 'second-again');
  assert.is(await current(), 'second-again');
  assert.is(await found('second-again'), 'echo__r2');
  assert.is(await found('second'), undefined);
});

test('while a release is loading the others serve, and what is not found may still come', async () => {
  triton.put('echo__r3', 'third', { seconds: 3 });
  const loading = triton.control.load('echo__r3', 30_000);
  // Triton gives connections that arrive together to one thread, which would first finish loading.
  await sleep(200);
  await triton.untilState('echo__r3', 'LOADING');
  assert.is(await current(), 'second-again');
  assert.is(await found('echo-r1'), 'echo');
  assert.match(await whyNot(found('third')), 'echo__r3 is LOADING');
  await loading;
  assert.is(await found('third'), 'echo__r3');
  assert.is(await current(), 'third');
});

test('a release that does not fit the contract is named with the difference, and runs no job', async () => {
  triton.put('echo__r4', 'fourth', { dims: '-1, -1' });
  await triton.control.load('echo__r4', 30_000);
  const why = await whyNot(current());
  assert.match(why, 'expected the input "DATA" as TYPE_UINT8 [-1,-1,-1], got "TYPE_UINT8 [-1,-1]"');
  assert.is(await found('fourth'), undefined);
  assert.is(await found('third'), 'echo__r3');
  await triton.unload('echo__r4');
  assert.is(await current(), 'third');
});

test('when Triton is away, or back without the models, releases are unavailable and not gone', async () => {
  await triton.kill();
  await whyNot(current());
  await whyNot(found('echo-r1'));
  await triton.start();
  await whyNot(current());
  await whyNot(found('echo-r1'));
  await triton.control.load('echo', 30_000);
  assert.is(await found('echo-r1'), 'echo');
  assert.is(await found('third'), undefined);
});

test.after(async () => {
  await transport.close();
  await triton.close();
});

test.run();
