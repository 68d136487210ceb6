import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { layOut } from '../../src/triton/protocol/layout.ts';
import { int32 } from '../../src/triton/protocol/tensor.ts';

const test = suite('layout of a shared memory region');

const image = (bytes: number) =>
  ({ name: 'IMAGE', datatype: 'UINT8', shape: [bytes], data: Buffer.alloc(bytes) }) as const;

test('large tensors lie one after the other, aligned and apart', () => {
  const { inputs, outputs, bytes } = layOut([image(100_001), image(70_000)], [image(400_000)]);
  assert.equal(inputs[0]?.place, { offset: 0, bytes: 100_001 });
  assert.equal(inputs[1]?.place, { offset: 100_032, bytes: 70_000 });
  assert.equal(outputs[0]?.place, { offset: 170_048, bytes: 400_000 });
  assert.is(bytes, 570_048);
});

test('small tensors and outputs of unknown length travel in the body', () => {
  const open = { name: 'IMAGE', datatype: 'UINT8', shape: [-1, 3] } as const;
  const text = { name: 'ENGINE', datatype: 'BYTES', shape: [1] } as const;
  const { inputs, outputs, bytes } = layOut([int32('SCALE', [2]), image(65_535)], [open, text]);
  assert.ok([...inputs, ...outputs].every(({ place }) => place === undefined));
  assert.is(bytes, 0);
});

test('an input whose bytes do not fill its shape is refused', () => {
  assert.throws(() => layOut([{ ...image(70_000), shape: [70_001] }], []), /should take 70001/);
});

test.run();
