/** The tensors of requests and answers, and the checks that an output passes before it is read. */

type TensorType = 'UINT8' | 'UINT16' | 'INT32' | 'FP32' | 'BYTES';

export type Tensor = {
  readonly name: string;
  readonly datatype: TensorType;
  readonly shape: readonly number[];
  /** Row-major, little-endian; a BYTES element is its length in four bytes and then itself. */
  readonly data: Buffer;
};

/** An output that is asked for. An answer of another name, type or shape is refused; a length of -1 admits any. */
export type RequestedOutput = Omit<Tensor, 'data'> & {
  /**
   * Memory of its length that its data may be put in. After an abort a late answer may still be written to it. Absent: new
   * memory.
   */
  readonly into?: Buffer | undefined;
};

/** An output as the server describes it. Its data is absent when it lies in shared memory. */
export type ReceivedOutput = {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly data?: Buffer;
};

const itemBytes = { UINT8: 1, UINT16: 2, INT32: 4, FP32: 4 } as const;

/** The bytes that a tensor takes; undefined when its type or shape leaves that open. */
export const byteLength = ({ datatype, shape }: RequestedOutput): number | undefined =>
  datatype === 'BYTES' || shape.some((length) => length < 0)
    ? undefined
    : elements(shape) * itemBytes[datatype];

const elements = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

export const int32 = (name: string, values: readonly number[]): Tensor => {
  const data = Buffer.from(Int32Array.from(values).buffer);
  return { name, datatype: 'INT32', shape: [values.length], data };
};

export const uint8 = (name: string, shape: readonly number[], data: Buffer): Tensor => ({
  name,
  datatype: 'UINT8',
  shape,
  data,
});

/** Two bytes each, little-endian. */
export const uint16 = (name: string, shape: readonly number[], data: Buffer): Tensor => ({
  name,
  datatype: 'UINT16',
  shape,
  data,
});

/** The tensor is a view of the values: they must not change before the request has been sent. */
export const fp32 = (name: string, shape: readonly number[], values: Float32Array): Tensor => ({
  name,
  datatype: 'FP32',
  shape,
  data: Buffer.from(values.buffer, values.byteOffset, values.byteLength),
});

/** The numbers of an FP32 output. */
export const floatsOf = ({ data }: Tensor): Float32Array => new Float32Array(aligned(data));

/** `count` numbers of an FP32 output, from number `from` on. */
export const floatsIn = ({ data }: Tensor, from: number, count: number): Float32Array =>
  new Float32Array(aligned(data.subarray(from * 4, (from + count) * 4)));

/** The numbers of an INT32 output. */
export const intsOf = ({ data }: Tensor): Int32Array => new Int32Array(aligned(data));

/** A copy in memory of its own: in an answer the data may begin at an offset that is no multiple of 4. */
const aligned = (data: Buffer): ArrayBuffer => new Uint8Array(data).buffer;

/** The bytes of several tensors, one after the other; copied only where they do not lie so in memory already. */
export const inOneRow = (parts: readonly Buffer[]): Buffer => {
  const [first] = parts;
  let end = first?.byteOffset;
  const isContiguous = parts.every(({ buffer, byteOffset, length }) => {
    const follows = buffer === first?.buffer && byteOffset === end;
    end = byteOffset + length;
    return follows;
  });
  if (!first || !isContiguous) return Buffer.concat(parts);
  return Buffer.from(first.buffer, first.byteOffset, (end ?? 0) - first.byteOffset);
};

/** The strings of a BYTES output. Throws an Error when the bytes end inside an element. */
export const decodeStrings = (data: Buffer): string[] => {
  const values: string[] = [];
  let at = 0;
  while (at < data.length) {
    const start = at + 4;
    const end = start > data.length ? Number.POSITIVE_INFINITY : start + data.readUInt32LE(at);
    if (end > data.length) {
      throw new Error(`a BYTES element at ${at} ends after the ${data.length} bytes of its tensor`);
    }
    values.push(data.toString('utf8', start, end));
    at = end;
  }
  return values;
};

/** The same tensor. Throws an Error when its bytes do not fill its shape exactly. */
export const checkTensor = (tensor: Tensor): Tensor => {
  const { name, datatype, shape, data } = tensor;
  if (!shape.every((length) => Number.isInteger(length) && length >= 0)) {
    throw new Error(`"${name}" has the shape [${shape}]`);
  }
  if (datatype === 'BYTES') {
    const came = decodeStrings(data).length;
    if (came !== elements(shape)) {
      throw new Error(`"${name}" [${shape}] should hold ${elements(shape)} strings; got ${came}`);
    }
  } else if (data.length !== byteLength(tensor)) {
    const expected = byteLength(tensor);
    throw new Error(
      `"${name}" ${datatype} [${shape}] should take ${expected} bytes; got ${data.length}`,
    );
  }
  return tensor;
};

/** What was wanted, in that order, with the shapes that came. Throws an Error that says how the answer differs. */
export const checkOutputs = (
  wanted: readonly RequestedOutput[],
  answered: readonly ReceivedOutput[],
): Tensor[] => {
  const byName = new Map(answered.map((output) => [output.name, output]));
  if (answered.length !== wanted.length || !wanted.every(({ name }) => byName.has(name))) {
    throw new Error(`expected the outputs ${names(wanted)}; got ${names(answered)}`);
  }
  return wanted.map(({ into: _, ...want }) => {
    const came = byName.get(want.name) ?? want;
    if (came.datatype !== want.datatype || !fits(want.shape, came.shape)) {
      throw new Error(`expected ${text(want)}; got ${text(came)}`);
    }
    if (!('data' in came) || !came.data) throw new Error(`"${want.name}" has no data`);
    return checkTensor({ ...want, shape: came.shape, data: came.data });
  });
};

const fits = (wanted: readonly number[], came: readonly number[]): boolean =>
  wanted.length === came.length &&
  wanted.every((length, i) => length === came[i] || (length < 0 && (came[i] ?? -1) >= 0));

const names = (outputs: readonly { name: string }[]): string =>
  outputs.map(({ name }) => `"${name}"`).join(', ') || 'nothing';

const text = ({ name, datatype, shape }: ReceivedOutput): string =>
  `"${name}" ${datatype} [${shape}]`;
