import { access, constants } from 'node:fs/promises';
import { isAxiosError } from 'axios';
import type { Config } from '../../config.ts';
import { Failure } from '../../errors.ts';
import { encodeRequest } from './binary.ts';
import { type Exchange, openExchange, type Reply, readReply, reasonOf } from './exchange.ts';
import { modelUnavailable, trusted } from './faults.ts';
import { type Layout, layOut } from './layout.ts';
import { folder, type Region, RegionPool, readAll, register, sweep, writeAll } from './regions.ts';
import { type Answered, checkOutputs, type Tensor, type Wanted } from './tensor.ts';
import type { Transport } from './transport.ts';

/** Pixels in memory that Triton, on the same host, maps too; only their description goes over HTTP. */
export const openSharedMemory = async (config: Config['triton']): Promise<Transport> => {
  const exchange = openExchange(config);
  const pool = new RegionPool(exchange);
  await checkPossible(exchange, pool);
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();

  return {
    kind: 'shared-memory',
    infer: async (model, inputs, wanted, signal) => {
      signal.throwIfAborted();
      // An aborted caller leaves at once. The request itself goes on: until it is answered Triton may write to the region.
      const answered = request(exchange, pool, model, inputs, wanted, closing.signal);
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
      exchange.close();
    },
  };
};

/** Tries it with a first region. A server that is not there yet says nothing about it; its first request will. */
const checkPossible = async (exchange: Exchange, pool: RegionPool): Promise<void> => {
  try {
    await access(folder, constants.W_OK);
    await sweep(exchange);
    await pool.giveBack(await pool.borrow(1));
  } catch (cause) {
    if (isAxiosError(cause)) return;
    const hint = 'it needs Triton on this host with the same /dev/shm; http and grpc do not';
    throw new Error(`TRITON_TRANSPORT=shared-memory does not work here: ${hint}`, { cause });
  }
};

const untilAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  let leave = () => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
};

const request = async (
  exchange: Exchange,
  pool: RegionPool,
  model: string,
  inputs: readonly Tensor[],
  wanted: readonly Wanted[],
  signal: AbortSignal,
): Promise<Answered[]> => {
  const layout = layOut(inputs, wanted);
  const region = await available(model, () => pool.borrow(layout.bytes));
  const reply = await available(model, async () => {
    try {
      return await send(exchange, region, model, layout, signal);
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

/** What goes wrong with the memory, or on the way to Triton, means that the model cannot be reached. */
const available = async <T>(model: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Failure ? error : modelUnavailable(model, error);
  }
};

const send = async (
  exchange: Exchange,
  region: Region,
  model: string,
  { inputs, outputs }: Layout,
  signal: AbortSignal,
): Promise<Reply> => {
  for (const { data, place } of inputs) if (place) await writeAll(region.file, data, place.offset);
  const ask = () => exchange.infer(model, encodeRequest(inputs, outputs, region.name), signal);
  const reply = await ask();
  if (!/unable to find shared memory region/i.test(refusal(reply))) return reply;
  // Triton was restarted since it was told of the region.
  await register(exchange, region);
  return ask();
};

const refusal = (reply: Reply): string => (reply.status === 200 ? '' : reasonOf(reply));

/** Reads what the model has written to the region. */
const collect = (region: Region, answered: Answered[], { outputs }: Layout): Promise<Answered[]> =>
  Promise.all(
    answered.map(async (output) => {
      const place = outputs.find(({ name }) => name === output.name)?.place;
      if (output.data || !place) return output;
      return { ...output, data: await readAll(region.file, place.bytes, place.offset) };
    }),
  );
