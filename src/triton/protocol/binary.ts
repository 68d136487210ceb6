/**
 * Requests and answers of the KServe v2 protocol with its binary tensor extension: a JSON header, then
 * the tensors' bytes one after the other; `Inference-Header-Content-Length` says where the JSON ends.
 */
import { z } from 'zod';
import { checkTensor, type ReceivedOutput, type RequestedOutput, type Tensor } from './tensor.ts';

/** A part of a shared memory region, in bytes. */
export type Place = { readonly offset: number; readonly bytes: number };
/** A tensor with the place where it lies; without one it travels in the body. */
export type Placed<T> = T & { readonly place?: Place };

export type EncodedRequest = {
  readonly headerBytes: number;
  readonly bytes: number;
  /** The header, then the tensors' own buffers: nothing is copied. */
  readonly chunks: readonly Buffer[];
};

/** region: the name of the shared memory region that the places are in. */
export const encodeRequest = (
  inputs: readonly Placed<Tensor>[],
  outputs: readonly Placed<RequestedOutput>[],
  region = '',
): EncodedRequest => {
  const inRegion = ({ offset, bytes }: Place) => ({
    shared_memory_region: region,
    shared_memory_offset: offset,
    shared_memory_byte_size: bytes,
  });
  const header = Buffer.from(
    JSON.stringify({
      inputs: inputs.map(({ name, datatype, shape, data, place }) => ({
        name,
        datatype,
        shape,
        parameters: place ? inRegion(place) : { binary_data_size: data.length },
      })),
      outputs: outputs.map(({ name, place }) => ({
        name,
        parameters: place ? inRegion(place) : { binary_data: true },
      })),
    }),
  );
  const inBody = inputs.filter(({ place }) => !place).map(checkTensor);
  const chunks = [header, ...inBody.map(({ data }) => data)];
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return { headerBytes: header.length, bytes, chunks };
};

const Length = z.int().min(0);
const Header = z.object({
  outputs: z.array(
    z.object({
      name: z.string(),
      datatype: z.string(),
      shape: z.array(Length),
      parameters: z.object({ binary_data_size: Length.optional() }).optional(),
    }),
  ),
});

/**
 * The outputs of an answer; their data are views of the body.
 * headerLength: the value of the header of that name; without it the whole body is JSON.
 * Throws an Error that says what is wrong with the answer.
 */
export const decodeAnswer = (body: Buffer, headerLength: string | undefined): ReceivedOutput[] => {
  const headerBytes = readHeaderLength(headerLength, body.length);
  const header = Header.safeParse(json(body.toString('utf8', 0, headerBytes)));
  if (!header.success) {
    throw new Error(`the answer's header is malformed: ${z.prettifyError(header.error)}`);
  }
  let at = headerBytes;
  const outputs = header.data.outputs.map(({ name, datatype, shape, parameters = {} }) => {
    // Its data lies in shared memory, or came as JSON, which was not asked for: in both cases not in the body.
    if (parameters.binary_data_size === undefined) return { name, datatype, shape };
    const data = body.subarray(at, at + parameters.binary_data_size);
    at += parameters.binary_data_size;
    return { name, datatype, shape, data };
  });
  if (at !== body.length) {
    throw new Error(`expected an answer of ${at} bytes, as its header says; got ${body.length}`);
  }
  return outputs;
};

const readHeaderLength = (value: string | undefined, bodyBytes: number): number => {
  const length = value === undefined ? bodyBytes : Number(value);
  if (!Number.isInteger(length) || length < 0 || length > bodyBytes) {
    throw new Error(`Inference-Header-Content-Length is "${value}", the body ${bodyBytes} bytes`);
  }
  return length;
};

const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error("the answer's header is not JSON", { cause });
  }
};
