import type { RequestListener } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openControl } from '../../src/triton/protocol/control.ts';
import { ownTriton } from '../real/triton.ts';
import { against } from './against.ts';
import { failure } from './promises.ts';

const test = suite('control');
const triton = await ownTriton([]);
const control = openControl(triton);
const nobody = openControl({ httpUrl: 'http://127.0.0.1:9' });
const stateOf = async (model: string): Promise<string | undefined> =>
  (await control.repositoryIndex()).find(({ name }) => name === model)?.state;

test('a model is ready from its load to its unload, and can be loaded again', async () => {
  assert.is(await stateOf('echo'), undefined);
  await failure(control.modelConfig('echo'), 'model_unavailable');
  for (let i = 0; i < 2; i += 1) {
    await control.load('echo', 30_000);
    assert.is(await stateOf('echo'), 'READY');
  }
  await control.unload('echo');
  assert.is.not(await stateOf('echo'), 'READY');
  await failure(control.modelConfig('echo'), 'model_unavailable');
});

test('a model that is loaded again while it is unloaded is ready then', async () => {
  for (let i = 0; i < 3; i += 1) {
    await control.load('echo', 30_000);
    assert.is(await stateOf('echo'), 'READY');
    await control.unload('echo');
  }
});

test('a config tells inputs, outputs and parameters', async () => {
  await control.load('echo', 30_000);
  const { name, max_batch_size, input, output, parameters } = await control.modelConfig('echo');
  assert.is(name, 'echo');
  assert.is(max_batch_size, 0);
  assert.equal(input[0], {
    name: 'DATA',
    data_type: 'TYPE_UINT8',
    dims: [-1, -1, -1],
    optional: false,
  });
  assert.ok(input[1]?.optional);
  assert.equal(
    output.map(({ name }) => name),
    ['DATA', 'SEEN', 'MEAN'],
  );
  assert.equal(parameters, { release: 'echo-r1' });
});

test('a connection whose thread answers nothing is left for another', async () => {
  let asked = 0;
  const answer: RequestListener = (_, response) => {
    asked += 1;
    if (asked > 1) response.end('[]');
  };
  const index = await against(answer, (httpUrl) =>
    openControl({ httpUrl }).repositoryIndex({ timeoutMs: 100 }),
  );
  assert.equal(index, []);
  assert.is(asked, 2);
});

test('names are escaped', async () => {
  await failure(control.modelConfig('../echo'), 'model_unavailable');
  await failure(control.modelConfig('echo/versions/1'), 'model_unavailable');
});

test('the models of a server that is not there are unavailable', async () => {
  await failure(nobody.modelConfig('echo'), 'model_unavailable');
  await failure(nobody.repositoryIndex(), 'model_unavailable');
  await failure(nobody.load('echo', 1000), 'model_unavailable');
});

test('a load that does not end in time, or fails, says why', async () => {
  const late = await failure(control.load('broken', 500), 'model_unavailable');
  assert.match(String(late.cause), 'no answer within 500 ms');
  const broken = await failure(control.load('broken', 30_000), 'model_unavailable');
  assert.match(String(broken.cause), 'no weights');
  assert.is(await stateOf('broken'), 'UNAVAILABLE');
  const unknown = await failure(control.load('nope', 5_000), 'model_unavailable');
  assert.equal(unknown.facts, { model: 'nope' });
});

test('a load that the caller gives up ends with its reason', async () => {
  const stop = new AbortController();
  const reason = new Error('enough');
  const loading = control.load('broken', 30_000, stop.signal).catch((error: unknown) => error);
  stop.abort(reason);
  assert.is((await failure(Promise.reject(await loading), 'model_unavailable')).cause, reason);
});

test.after(() => triton.close());

test.run();
