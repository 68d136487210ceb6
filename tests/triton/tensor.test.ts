import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  byteLength,
  checkOutputs,
  checkTensor,
  decodeStrings,
  int32,
  type RequestedOutput,
  type Tensor,
} from '../../src/triton/protocol/tensor.ts';
import { strings } from './strings.ts';

const test = suite('tensor');

const image = (shape: number[], bytes: number): Tensor => ({
  name: 'IMAGE',
  datatype: 'UINT8',
  shape,
  data: Buffer.alloc(bytes),
});

test('strings come back as they were, empty and non-ASCII ones too', () => {
  for (const values of [[], [''], ['a', '', 'naïve 日本語 🙂'], ['x'.repeat(70_000)]]) {
    assert.equal(decodeStrings(strings('S', values).data), values);
  }
});

test('a string that ends after its bytes is refused wherever it is cut', () => {
  const whole = strings('S', ['one', 'two']).data;
  for (const cut of [1, 3, 4, 6, 8, 10, 13]) {
    assert.throws(() => decodeStrings(whole.subarray(0, cut)), /ends after the/);
  }
  assert.throws(() => decodeStrings(Buffer.from([255, 255, 255, 255, 65])), /ends after the/);
});

test('int32 tensors are little-endian', () => {
  const { data, shape } = int32('SCALE', [2, -1]);
  assert.equal([...data], [2, 0, 0, 0, 255, 255, 255, 255]);
  assert.equal(shape, [2]);
});

test('byte length follows type and shape, and is open for strings and open shapes', () => {
  const cases: [RequestedOutput['datatype'], number[], number | undefined][] = [
    ['UINT8', [2, 3, 4], 24],
    ['INT32', [5], 20],
    ['FP32', [], 4],
    ['FP32', [0, 7], 0],
    ['UINT8', [-1, 3], undefined],
    ['BYTES', [1], undefined],
  ];
  for (const [datatype, shape, bytes] of cases) {
    assert.is(byteLength({ name: 'X', datatype, shape }), bytes);
  }
});

test('a tensor whose bytes do not fill its shape is refused with both numbers', () => {
  assert.throws(() => checkTensor(image([2, 2, 3], 11)), /should take 12 bytes; got 11/);
  assert.throws(() => checkTensor(image([2, 2, 3], 13)), /should take 12 bytes; got 13/);
  assert.throws(() => checkTensor(image([2, -1, 3], 6)), /has the shape/);
  assert.throws(() => checkTensor(image([1.5, 2, 1], 3)), /has the shape/);
  const two = strings('S', ['a', 'b']);
  assert.throws(() => checkTensor({ ...two, shape: [3] }), /should hold 3 strings; got 2/);
});

test('outputs come back in the order that was asked for', () => {
  const wanted: RequestedOutput[] = [
    { name: 'B', datatype: 'INT32', shape: [1] },
    { name: 'A', datatype: 'BYTES', shape: [-1] },
  ];
  const answered = [strings('A', ['x', 'y']), int32('B', [7])];
  const [b, a] = checkOutputs(wanted, answered);
  assert.is(b?.data.readInt32LE(), 7);
  assert.equal(a?.shape, [2]);
});

test('an answer of another name, number, type, shape, length or without data is refused', () => {
  const wanted: RequestedOutput[] = [{ name: 'IMAGE', datatype: 'UINT8', shape: [2, 2, 3] }];
  const good = image([2, 2, 3], 12);
  assert.is(checkOutputs(wanted, [good])[0]?.data.length, 12);
  const cases: [Parameters<typeof checkOutputs>[1], RegExp][] = [
    [[], /expected the outputs "IMAGE"; got nothing/],
    [[{ ...good, name: 'OTHER' }], /expected the outputs "IMAGE"; got "OTHER"/],
    [[good, good], /got "IMAGE", "IMAGE"/],
    [
      [{ ...good, datatype: 'INT8' }],
      /expected "IMAGE" UINT8 \[2,2,3\]; got "IMAGE" INT8 \[2,2,3\]/,
    ],
    [[{ ...good, shape: [2, 3, 2] }], /got "IMAGE" UINT8 \[2,3,2\]/],
    [[{ ...good, shape: [12] }], /got "IMAGE" UINT8 \[12\]/],
    [[image([2, 2, 3], 11)], /should take 12 bytes; got 11/],
    [[{ name: 'IMAGE', datatype: 'UINT8', shape: [2, 2, 3] }], /has no data/],
  ];
  for (const [answered, reason] of cases) {
    assert.throws(() => checkOutputs(wanted, answered), reason);
  }
});

test('two outputs of one name do not stand for two wanted ones', () => {
  const wanted: RequestedOutput[] = ['A', 'B'].map((name) => ({
    name,
    datatype: 'INT32',
    shape: [1],
  }));
  assert.throws(() => checkOutputs(wanted, [int32('A', [1]), int32('A', [1])]), /got "A", "A"/);
});

test.run();
