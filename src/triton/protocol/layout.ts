/** Which tensors of a request lie in its shared memory region, and where: a pure plan. */
import type { Place, Placed } from './binary.ts';
import { byteLength, checkTensor, type RequestedOutput, type Tensor } from './tensor.ts';

export type Layout = {
  readonly inputs: readonly Placed<Tensor>[];
  readonly outputs: readonly Placed<RequestedOutput>[];
  /** The least size of the region. */
  readonly bytes: number;
};

/** Smaller tensors travel in the body: the two system calls that they save would cost as much. */
const leastBytes = 64 * 1024;
/** Tensors begin at multiples of this many bytes, a cache line, where vector instructions load fastest. */
const alignment = 64;

/** Inputs, then outputs, one after the other. An output of unknown length travels in the body, one with memory of its own never. */
export const layOut = (inputs: readonly Tensor[], wanted: readonly RequestedOutput[]): Layout => {
  let end = 0;
  const place = (bytes = 0, least = leastBytes): { place?: Place } => {
    if (bytes < least) return {};
    const offset = Math.ceil(end / alignment) * alignment;
    end = offset + bytes;
    return { place: { offset, bytes } };
  };
  const placedInputs = inputs.map((tensor) => ({
    ...checkTensor(tensor),
    ...place(tensor.data.length),
  }));
  const outputs = wanted.map((tensor) => ({
    ...tensor,
    ...place(byteLength(tensor), tensor.into ? 1 : leastBytes),
  }));
  return { inputs: placedInputs, outputs, bytes: end };
};
