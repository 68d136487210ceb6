import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeAnswer, encodeRequest } from '../../src/triton/protocol/binary.ts';
import { int32, type Tensor } from '../../src/triton/protocol/tensor.ts';

const test = suite('binary framing');

const image: Tensor = {
  name: 'IMAGE',
  datatype: 'UINT8',
  shape: [1, 2, 3],
  data: Buffer.from([1, 2, 3, 4, 5, 6]),
};

const answer = (outputs: unknown, ...data: Buffer[]) => {
  const header = Buffer.from(JSON.stringify({ model_name: 'm', outputs }));
  return { body: Buffer.concat([header, ...data]), length: String(header.length) };
};
const described = (name: string, bytes: unknown) => ({
  name,
  datatype: 'UINT8',
  shape: [6],
  parameters: { binary_data_size: bytes },
});

test('a request is its header and then the very buffers of the inputs', () => {
  const scale = int32('SCALE', [2]);
  const wanted = { name: 'IMAGE', datatype: 'UINT8', shape: [2, 4, 3] } as const;
  const { headerBytes, bytes, chunks } = encodeRequest([image, scale], [wanted]);
  const [header, ...data] = chunks;
  assert.is(header?.length, headerBytes);
  assert.is(bytes, headerBytes + 10);
  assert.is(data[0], image.data);
  assert.is(data[1], scale.data);
  assert.equal(JSON.parse(String(header)), {
    inputs: [
      { name: 'IMAGE', datatype: 'UINT8', shape: [1, 2, 3], parameters: { binary_data_size: 6 } },
      { name: 'SCALE', datatype: 'INT32', shape: [1], parameters: { binary_data_size: 4 } },
    ],
    outputs: [{ name: 'IMAGE', parameters: { binary_data: true } }],
  });
});

test('a tensor with a place is only named, with its region', () => {
  const place = { offset: 64, bytes: 6 };
  const { chunks } = encodeRequest([{ ...image, place }], [{ ...image, place }], 'r1');
  const parameters = {
    shared_memory_region: 'r1',
    shared_memory_offset: 64,
    shared_memory_byte_size: 6,
  };
  assert.is(chunks.length, 1);
  const header = JSON.parse(String(chunks[0]));
  assert.equal(header.inputs[0].parameters, parameters);
  assert.equal(header.outputs[0].parameters, parameters);
});

test('an input whose bytes do not fill its shape is never sent', () => {
  assert.throws(() => encodeRequest([{ ...image, shape: [1, 2, 4] }], []), /should take 8 bytes/);
});

test('the header length counts bytes, not characters', () => {
  const { body, length } = answer([described('naïve 日本', 6)], Buffer.from('abcdef'));
  assert.is(decodeAnswer(body, length)[0]?.data?.toString(), 'abcdef');
});

test('outputs are views of the body, an empty one too', () => {
  const outputs = [described('A', 6), described('B', 0), described('C', 1)];
  const { body, length } = answer(outputs, Buffer.from('abcdefg'));
  const [a, b, c] = decodeAnswer(body, length);
  assert.is(a?.data?.buffer, body.buffer);
  assert.is(a?.data?.toString(), 'abcdef');
  assert.is(b?.data?.length, 0);
  assert.is(c?.data?.toString(), 'g');
});

test('an answer without a header length is JSON alone, and its outputs lie elsewhere', () => {
  const { body } = answer([{ name: 'A', datatype: 'UINT8', shape: [6] }]);
  assert.equal(decodeAnswer(body, undefined), [{ name: 'A', datatype: 'UINT8', shape: [6] }]);
});

const six = answer([described('A', 6)], Buffer.from('abcdef'));
const broken: [string, Buffer, string | undefined, RegExp][] = [
  ['an empty body', Buffer.alloc(0), '0', /not JSON/],
  ['an empty body without length', Buffer.alloc(0), undefined, /not JSON/],
  ['a header length beyond the body', six.body, String(six.body.length + 1), /the body \d+ bytes/],
  ['a header length of words', six.body, 'many', /is "many"/],
  ['a negative header length', six.body, '-1', /is "-1"/],
  ['a fractional header length', six.body, '1.5', /is "1.5"/],
  ['a header length that cuts the header', six.body, '20', /not JSON/],
  ['no header length before binary data', six.body, undefined, /not JSON/],
  [
    'data that end early',
    six.body.subarray(0, -1),
    six.length,
    /expected an answer of \d+ bytes, as its header says; got \d+/,
  ],
  [
    'data that go on',
    Buffer.concat([six.body, six.body]),
    six.length,
    /expected an answer of \d+ bytes, as its header says; got \d+/,
  ],
];
for (const [name, body, length, reason] of broken) {
  test(`${name} is refused`, () => assert.throws(() => decodeAnswer(body, length), reason));
}

const malformed: [string, unknown][] = [
  ['no outputs', undefined],
  ['outputs that are no list', {}],
  ['an output without a name', [{ datatype: 'UINT8', shape: [6] }]],
  ['a shape of text', [{ name: 'A', datatype: 'UINT8', shape: '6' }]],
  ['a negative shape', [{ name: 'A', datatype: 'UINT8', shape: [-6] }]],
  ['a negative size', [described('A', -6)]],
  ['a size of text', [described('A', '6')]],
  ['a fractional size', [described('A', 5.5)]],
];
for (const [name, outputs] of malformed) {
  test(`a header with ${name} is refused`, () => {
    const { body, length } = answer(outputs, Buffer.from('abcdef'));
    assert.throws(() => decodeAnswer(body, length), /header is malformed/);
  });
}

test('a size that overflows the body is refused', () => {
  const { body, length } = answer([described('A', Number.MAX_SAFE_INTEGER)], Buffer.from('abc'));
  assert.throws(
    () => decodeAnswer(body, length),
    /expected an answer of \d+ bytes, as its header says; got/,
  );
});

test.run();
