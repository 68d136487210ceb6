/**
 * What a call costs over each transport, side by side in one run, against a real Triton of its own.
 * usage: node --import tsx bench/transports.ts [rounds]
 * One JSON line each. ms_per_call: median over rounds of elapsed time / calls. node_cpu_ms_per_call: user and system
 * time of this process alone. The echo's own part (Triton, Python, its copies) is in all three alike.
 */
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../src/config.ts';
import { operations } from '../src/operations/all.ts';
import { places } from '../src/stack/home.mjs';
import { openTransport } from '../src/triton/open-transport.ts';
import { int32, type RequestedOutput, type Tensor } from '../src/triton/protocol/tensor.ts';
import type { Transport } from '../src/triton/protocol/transport.ts';
import { ownTriton, type RealTriton } from '../tests/real/triton.ts';

const rounds = Number(process.argv[2] ?? 10);
const kinds = ['http', 'grpc', 'shared-memory'] as const;

type Case = {
  readonly name: string;
  readonly model: string;
  readonly inFlight: number;
  readonly callsPerRound: number;
  readonly inputs: readonly Tensor[];
  readonly wanted: RequestedOutput;
};

const main = async (): Promise<void> => {
  const withPhoto = existsSync(join(places.weights, 'photo_x2.onnx'));
  const triton = await ownTriton(withPhoto ? ['echo', 'photo'] : ['echo']);
  try {
    const transports = await Promise.all(kinds.map((kind) => open(kind, triton)));
    for (const one of cases(withPhoto)) {
      for (const result of await compare(one, transports)) console.log(JSON.stringify(result));
    }
    for (const transport of transports) await transport.close();
  } finally {
    await triton.close();
  }
};

const open = (kind: (typeof kinds)[number], at: RealTriton) =>
  openTransport(
    loadConfig(
      {
        KEY_PEPPER: 'not used by a bench',
        SIGNING_SECRET: 'not used by a bench',
        TRITON_HTTP_URL: at.httpUrl,
        TRITON_ADMIN_SECRET: at.adminSecret,
        TRITON_GRPC_URL: at.grpcUrl,
        TRITON_GRPC_DESCRIPTORS: places.grpcDescriptors,
        TRITON_TRANSPORT: kind,
      },
      operations,
    ).triton,
  );

const cases = (withPhoto: boolean): Case[] => {
  const frame = image('DATA', 720, 1280);
  const picture = image('IMAGE', 180, 320);
  // As for the frames of a video, the answer comes in memory that is there.
  const wanted = { ...frame, into: Buffer.alloc(frame.data.length) };
  const echo = { model: 'echo', callsPerRound: 12, inputs: [frame], wanted };
  const photo = {
    model: 'photo',
    callsPerRound: 4,
    inputs: [picture, int32('SCALE', [2])],
    wanted: { ...picture, shape: [360, 640, 3] },
  };
  return [1, 4].flatMap((inFlight) => [
    { name: 'echo 1280x720 RGB', inFlight, ...echo },
    ...(withPhoto ? [{ name: 'photo 320x180 2x', inFlight, ...photo }] : []),
  ]);
};

const image = (name: string, height: number, width: number): Tensor => ({
  name,
  datatype: 'UINT8',
  shape: [height, width, 3],
  data: Buffer.from(Array.from({ length: height * width * 3 }, (_, i) => (i * 7919) % 251)),
});

/** Each round runs all transports in turn, so that a noisy moment of the machine falls on all. */
const compare = async (one: Case, transports: readonly Transport[]) => {
  const measured = transports.map(() => ({ ms: [] as number[], cpu: [] as number[] }));
  for (let round = -2; round < rounds; round += 1) {
    for (const [i, transport] of transports.entries()) {
      const { ms, cpu } = await measure(one, transport);
      // The first two warm up what is compiled, connected and mapped.
      if (round < 0) continue;
      measured[i]?.ms.push(ms);
      measured[i]?.cpu.push(cpu);
    }
  }
  return transports.map(({ kind }, i) => ({
    bench: 'transports',
    case: one.name,
    in_flight: one.inFlight,
    transport: kind,
    ms_per_call: median(measured[i]?.ms ?? []),
    ms_per_call_best: least(measured[i]?.ms ?? []),
    node_cpu_ms_per_call: median(measured[i]?.cpu ?? []),
    rounds,
    cpu: cpus()[0]?.model,
    cores: cpus().length,
  }));
};

const measure = async (one: Case, transport: Transport) => {
  const { model, inFlight, callsPerRound, inputs, wanted } = one;
  const { signal } = new AbortController();
  let left = callsPerRound;
  const cpuBefore = process.cpuUsage();
  const from = performance.now();
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await transport.infer(model, inputs, [wanted], signal);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    ms: (performance.now() - from) / callsPerRound,
    cpu: (user + system) / 1000 / callsPerRound,
  };
};

const median = (values: readonly number[]): number =>
  rounded(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]);
const least = (values: readonly number[]): number => rounded(Math.min(...values));
const rounded = (value = Number.NaN): number => Number(value.toFixed(2));

await main();
