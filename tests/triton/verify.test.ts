import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import { loadedAs, type Slot } from '../../src/triton/clients/model.ts';
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
  instance_group: [
    { count: 2, kind: 'KIND_CPU' },
    { count: 1, kind: 'KIND_CPU' },
  ],
  parameters: { release: 'photo-r1', scales: '2,4,8' },
};

test('a model that has what we use is accepted, with whatever it has besides', () => {
  const { parameters } = config;
  const photo = {
    slot: 'photo',
    name: 'photo',
    release: 'photo-r1',
    instances: 3,
    onGpu: false,
    parameters,
  };
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

/** A slot whose models may want a sound besides. */
const wantable = {
  sound: {
    inputs: [{ name: 'SOUND', type: 'TYPE_FP32', dims: [-1] }],
    parameters: { sound_samples: /^\d+$/ },
  },
};
const hearing = { name: 'photo', contract: { ...contract, wantable } };
const sound = { name: 'SOUND', data_type: 'TYPE_FP32', dims: [-1], optional: true };
const wanting = (wants: string, more: Partial<ModelConfig> = {}): ModelConfig => ({
  ...config,
  input: [image, sound],
  parameters: { ...config.parameters, wants, sound_samples: '16' },
  ...more,
});

test('a model may want what the slot offers, and need not', () => {
  assert.is(loadedAs(hearing, config).name, 'photo');
  assert.is(loadedAs(hearing, wanting('')).name, 'photo');
  assert.is(loadedAs(hearing, wanting(' sound ')).parameters.sound_samples, '16');
});

const wrongWants: [string, ModelConfig, RegExp][] = [
  ['what there is not', wanting('sound,gaze'), /"wants" names "gaze"; this slot offers sound/],
  [
    'a word that every object has',
    wanting('constructor'),
    /"wants" names "constructor"; this slot/,
  ],
  ['what it has no input for', wanting('sound', { input: [image] }), /"SOUND" .* got none/],
  [
    'it in another type',
    wanting('sound', { input: [image, { ...sound, data_type: 'TYPE_INT32' }] }),
    /"SOUND" as TYPE_FP32 \[-1\], got "TYPE_INT32 \[-1\]"/,
  ],
  [
    'it in every request',
    wanting('sound', { input: [image, { ...sound, optional: false }] }),
    /needs an input "SOUND", which not every request has/,
  ],
  [
    'it without saying how much',
    wanting('sound', { parameters: { ...config.parameters, wants: 'sound' } }),
    /a parameter "sound_samples" that matches .*, got none/,
  ],
];
for (const [name, wrong, fault] of wrongWants) {
  test(`a model that wants ${name} is refused`, () => {
    assert.match(String(refusal(wrong, hearing).cause), fault);
  });
}

test('a slot that offers nothing refuses a model that wants something', () => {
  assert.match(
    String(refusal(wanting('sound')).cause),
    /"wants" names "sound"; this slot offers nothing/,
  );
});

const refusal = (config: ModelConfig, of: Slot = slot): Failure => {
  try {
    loadedAs(of, config);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('it was accepted');
};

test.run();
