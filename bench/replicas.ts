/**
 * How much more two Tritons do than one, with a model of fixed delay that waits and does not compute: this shows what the
 * balancing costs, not what a processor could do.
 * usage: node --import tsx bench/replicas.ts [requests] [delay in ms]
 * One JSON line for each number of replicas, in two rounds; then the ratio of the best rounds.
 */
import { createLog } from '../src/log.ts';
import { int32, type Tensor } from '../src/triton/protocol/tensor.ts';
import { openReplicas } from '../src/triton/replicas/replicas.ts';
import { testConfig } from '../tests/real/config.ts';
import { type OwnTriton, ownTriton, tritonEnvironment } from '../tests/real/triton.ts';

const [requests = 200, delayMs = 50] = process.argv.slice(2).map(Number);
const inFlight = 8;
/** One at a time in each replica: the second of two waits for the first. */
const model = 'single';
const input: Tensor = { name: 'DATA', datatype: 'UINT8', shape: [3], data: Buffer.alloc(3) };
const wanted = [{ name: 'PID', datatype: 'INT32', shape: [1] }] as const;

/** Requests a second through these servers. */
const throughput = async (tritons: readonly [OwnTriton, ...OwnTriton[]]): Promise<number> => {
  const { triton } = testConfig({
    ...tritonEnvironment(tritons[0]),
    TRITON_HTTP_URL: tritons.map(({ httpUrl }) => httpUrl).join(),
    TRITON_GRPC_URL: tritons.map(({ grpcUrl }) => grpcUrl).join(),
  });
  const { transport, stats, close } = await openReplicas(triton, createLog('silent', 'bench'));
  const { signal } = new AbortController();
  let left = requests;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await transport.infer(model, [input, int32('SLEEP_MS', [delayMs])], wanted, signal);
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: inFlight }, lane));
  const perSecond = (1000 * requests) / (performance.now() - from);
  const answered = stats().replicas.map((replica) => replica.answered);
  const figures = { replicas: tritons.length, per_second: Number(perSecond.toFixed(1)), answered };
  console.log(JSON.stringify(figures));
  await close();
  return perSecond;
};

const [first, second] = await Promise.all([ownTriton([model]), ownTriton([model])]);
try {
  const [one, two]: [number[], number[]] = [[], []];
  for (let round = 0; round < 2; round += 1) {
    one.push(await throughput([first]));
    two.push(await throughput([first, second]));
  }
  const ratio = Math.max(...two) / Math.max(...one);
  console.log(JSON.stringify({ requests, delay_ms: delayMs, ratio: Number(ratio.toFixed(2)) }));
} finally {
  await Promise.all([first.close(), second.close()]);
}
