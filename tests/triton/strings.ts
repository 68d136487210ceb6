import type { Tensor } from '../../src/triton/protocol/tensor.ts';

/** A tensor of strings: each element is its length in four bytes, little-endian, and then its UTF-8. */
export const strings = (name: string, values: readonly string[]): Tensor => {
  const elements = values.flatMap((value) => {
    const text = Buffer.from(value);
    return [Buffer.from(Uint32Array.of(text.length).buffer), text];
  });
  return { name, datatype: 'BYTES', shape: [values.length], data: Buffer.concat(elements) };
};
