import { access, constants, statfs } from 'node:fs/promises';
import { untilAborted } from '../../async/until-aborted.ts';
import type { Config } from '../../config.ts';
import { Failure } from '../../errors.ts';
import { encodeRequest } from '../protocol/binary.ts';
import { exchange, readReply } from '../protocol/exchange.ts';
import { modelUnavailable, trusted } from '../protocol/faults.ts';
import { type Layout, layOut } from '../protocol/layout.ts';
import { checkOutputs, type ReceivedOutput } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { isTimeout, openWire, type Reply, reasonOf, type Wire } from '../protocol/wire.ts';
import { folder, type Region, RegionPool, readAll, register, sweep, writeAll } from './regions.ts';

const MiB = 1024 * 1024;
/** Two workers with four pictures in flight each, 16 MB in and out. */
const leastFreeMiB = 256;

type Connection = {
  readonly wire: Wire;
  readonly pool: RegionPool;
  readonly timeoutMs: number;
  readonly closing: AbortSignal;
};

/** Tensors in memory that Triton, on the same host, maps too; only their names, types and shapes go over HTTP. */
export const openSharedMemory = async (config: Config['triton']): Promise<Transport> => {
  const wire = openWire(config, { keepAlive: true });
  const pool = new RegionPool(wire);
  await checkPossible(wire, pool);
  const closing = new AbortController();
  const connection = {
    wire,
    pool,
    timeoutMs: config.requestTimeoutMs,
    closing: closing.signal,
  };
  const running = new Set<Promise<unknown>>();

  return {
    kind: 'shared-memory',
    infer: async (model, inputs, wanted, signal) => {
      signal.throwIfAborted();
      // An aborted caller leaves at once. The request itself goes on: until it is answered Triton may write to its region.
      const answered = ask(connection, model, layOut(inputs, wanted));
      running.add(answered);
      const forget = () => running.delete(answered);
      answered.then(forget, forget);
      const outputs = await untilAborted(answered, signal);
      return trusted(model, () => checkOutputs(wanted, outputs));
    },
    close: async () => {
      closing.abort(new Error('the transport is closed'));
      await pool.close();
      await Promise.allSettled(running);
      wire.close();
    },
  };
};

/** Tries it with a first region. Where Triton does not answer yet, or in time, the first request will fail if it cannot work. */
const checkPossible = async (wire: Wire, pool: RegionPool): Promise<void> => {
  try {
    await access(folder, constants.W_OK);
    await checkRoom();
    if (!(await isThere(wire))) return;
    await sweep(wire);
    await pool.giveBack(await pool.borrow(1));
  } catch (cause) {
    // A machine that is busy answers late, which says nothing about its memory.
    if (isTimeout(cause)) return;
    wire.close();
    const hint = 'it needs Triton on this host with the same /dev/shm; http and grpc do not';
    throw new Error(`TRITON_TRANSPORT=shared-memory does not work here: ${hint}`, { cause });
  }
};

/** Triton's Python processes take their memory from the same file system, and die when it is full. */
const checkRoom = async (): Promise<void> => {
  const { bavail, bsize } = await statfs(folder);
  const freeMiB = Math.floor((bavail * bsize) / MiB);
  if (freeMiB < leastFreeMiB) {
    throw new Error(`expected ${leastFreeMiB} MiB free in ${folder}; got ${freeMiB}`);
  }
};

const isThere = async (wire: Wire): Promise<boolean> => {
  try {
    return (await wire.get('/health/live')).status === 200;
  } catch {
    return false;
  }
};

/** The answer to one request, which has a region of its own for as long as Triton may use it. */
const ask = async (
  connection: Connection,
  model: string,
  layout: Layout,
): Promise<ReceivedOutput[]> => {
  const { pool } = connection;
  const region = await available(model, () => pool.borrow(layout.bytes));
  const reply = await available(model, async () => {
    try {
      return await send(connection, region, model, layout);
    } catch (error) {
      await pool.drop(region);
      throw error;
    }
  });
  try {
    return await collect(region, readReply(model, reply), layout);
  } finally {
    await pool.giveBack(region);
  }
};

/** A failure of the memory, or on the way to Triton, means that the model cannot be reached. */
const available = async <T>(model: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Failure ? error : modelUnavailable(model, error);
  }
};

const send = async (
  { wire, timeoutMs, closing }: Connection,
  region: Region,
  model: string,
  { inputs, outputs }: Layout,
): Promise<Reply> => {
  for (const { data, place } of inputs) if (place) await writeAll(region.file, data, place.offset);
  const request = encodeRequest(inputs, outputs, region.name);
  const within = { timeoutMs, signal: closing };
  const reply = await exchange(wire, model, request, within);
  if (reply.status === 200 || !/find shared memory region/i.test(reasonOf(reply))) return reply;
  // Triton was restarted since it was told of the region.
  await register(wire, region);
  return exchange(wire, model, request, within);
};

/** Reads what the model has written to the region. */
const collect = (
  region: Region,
  answered: ReceivedOutput[],
  { outputs }: Layout,
): Promise<ReceivedOutput[]> =>
  Promise.all(
    answered.map(async (output) => {
      const { place, into } = outputs.find(({ name }) => name === output.name) ?? {};
      if (output.data || !place) return output;
      const data = into ?? Buffer.allocUnsafeSlow(place.bytes);
      await readAll(region.file, data, place.offset);
      return { ...output, data };
    }),
  );
