import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import { loadedAs } from '../../src/triton/clients/model.ts';
import type { Contract } from '../../src/triton/clients/verify.ts';
import type { ModelConfig } from '../../src/triton/protocol/control.ts';

const test = suite('contract with a model');

const contract: Contract = {
  inputs: [{ name: 'IMAGE', type: 'TYPE_UINT8', dims: [-1, -1, -1] }],
  outputs: [{ name: 'IMAGE', type: 'TYPE_UINT8', dims: [-1, -1, -1] }],
  parameters: { scales: /^2,4,8$/ },
};
const slot = { name: 'photo', contract };
const image = { name: 'IMAGE', data_type: 'TYPE_UINT8', dims: [-1, -1, -1], optional: false };
const config: ModelConfig = {
  name: 'photo',
  max_batch_size: 0,
  input: [image],
  output: [image],
  parameters: { release: 'photo-r1', scales: '2,4,8' },
};

test('a model that has what we use is accepted, with whatever it has besides', () => {
  const { parameters } = config;
  const photo = { slot: 'photo', name: 'photo', release: 'photo-r1', parameters };
  assert.equal(loadedAs(slot, config), photo);
  const second = { ...config, name: 'photo__r2' };
  assert.equal(loadedAs(slot, second), { ...photo, name: 'photo__r2' });
  const hint = { ...image, name: 'HINT', optional: true };
  const extra = { ...image, name: 'EXTRA' };
  loadedAs(slot, { ...config, input: [hint, image], output: [extra, image] });
});

const differing: [string, Partial<ModelConfig>, RegExp][] = [
  ['batches', { max_batch_size: 8 }, /max_batch_size is 8, not 0/],
  ['no input', { input: [] }, /the input "IMAGE" as TYPE_UINT8 \[-1,-1,-1\], got none/],
  ['another type', { input: [{ ...image, data_type: 'TYPE_FP32' }] }, /"TYPE_FP32 \[-1,-1,-1\]"/],
  ['another rank', { output: [{ ...image, dims: [-1, -1] }] }, /output .* "TYPE_UINT8 \[-1,-1\]"/],
  ['a further input', { input: [image, { ...image, name: 'MASK' }] }, /needs an input "MASK"/],
  ['no parameter', { parameters: { release: 'r1' } }, /"scales" that matches .*, got none/],
  ['no release', { parameters: { scales: '2,4,8' } }, /"release" that matches .*, got none/],
  ['a release of two words', { parameters: { release: 'r 1' } }, /got "r 1"/],
  ['a release that could be two', { parameters: { release: 'r1+r2' } }, /got "r1\+r2"/],
];
for (const [name, change, fault] of differing) {
  test(`a model with ${name} is refused`, () => {
    const refused = refusal({ ...config, ...change });
    assert.is(refused.code, 'model_unavailable');
    assert.equal(refused.facts, { model: 'photo' });
    assert.match(String(refused.cause), fault);
  });
}

test('all differences are told at once', () => {
  const cause = String(refusal({ ...config, max_batch_size: 1, output: [], parameters: {} }).cause);
  for (const fault of ['max_batch_size', 'output "IMAGE"', '"release"']) assert.match(cause, fault);
});

const refusal = (config: ModelConfig): Failure => {
  try {
    loadedAs(slot, config);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('it was accepted');
};

test.run();
