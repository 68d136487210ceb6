/** The embedded Triton: the server of the wheel nvidia-pytriton. It loads a model only when it is told to. */
import { readdirSync, rmSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../errors.ts';
import { operations } from '../operations/all.ts';
import { openControl } from '../triton/protocol/control.ts';
import type { TritonAddress } from '../triton/protocol/wire.ts';
import { environmentFor } from './allowed.ts';
import { type Child, startChild, untilReady } from './child.ts';
import { places, root } from './home.mjs';
import type { TritonPorts } from './ports.ts';

type TritonOptions = {
  readonly ports: TritonPorts;
  readonly host: string;
  readonly modelsDirs: readonly string[];
  readonly logFile: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
};

/** Starts Triton and watches over it, here and in docker-compose.yml alike. It takes Triton's command as its arguments. */
export const keeper = 'inference/run_triton.py';

/** What Triton runs with, here and in docker-compose.yml alike. */
export const tritonArguments = (ports: TritonPorts, modelsDirs: readonly string[]): string[] => [
  ...modelsDirs.map((folder) => `--model-repository=${folder}`),
  '--model-control-mode=explicit',
  `--http-port=${ports.http}`,
  `--grpc-port=${ports.grpc}`,
  `--metrics-port=${ports.metrics}`,
  // Every config.pbtxt is whole. Asking the model for more would start each Python process twice.
  '--disable-auto-complete-config',
  '--exit-timeout-secs=5',
];

/** The models that ship with the service, one for each slot, loaded at the start. The reconcile loop loads added releases. */
export const models: readonly string[] = [
  ...new Set(
    operations.flatMap(({ models, slots }) =>
      Object.keys(models).flatMap((id) =>
        Object.values(slots(id)).flatMap((some) => some.map(({ name }) => name)),
      ),
    ),
  ),
];

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);

/** Triton 24.10, the newest that a wheel holds, has published holes: no other machine may reach it (SECURITY.md). */
const refuseReachable = (host: string): void => {
  if (!loopback.check(host))
    throw new Error(
      `Expected an address of 127.0.0.0/8 for the embedded Triton, which has published security holes; got "${host}". The containers run a newer release for other addresses.`,
    );
};

/** 2 s on a machine that is not busy. A start that is given up too early is repeated, which makes a busy machine busier. */
const listensWithinMs = 300_000;

/** Starts the server without models and resolves when it is live. */
export const startTriton = async (options: TritonOptions): Promise<Child> => {
  const { ports, host, modelsDirs, logFile, env, signal } = options;
  refuseReachable(host);
  const regions = `enhance_${ports.http}_`;
  dropRegions(regions);
  const child = await startChild({
    name: 'Triton',
    command: places.python,
    args: [
      keeper,
      join(places.tritonServer, 'bin/tritonserver'),
      ...tritonArguments(ports, modelsDirs),
      `--backend-directory=${places.tritonServer}/backends`,
      `--backend-config=python,shm-region-prefix-name=${regions}`,
      ...[`--http-address=${host}`, `--grpc-address=${host}`, `--metrics-address=${host}`],
    ],
    env: environmentFor('Triton', { ...env, ...pythonEnvironment(env) }),
    cwd: root,
    logFile,
    // It waits for idle connections of its clients, and has nothing to lose.
    stopWithinMs: 3_000,
    signal,
  });
  void child.exited.then(() => dropRegions(regions));
  const url = `http://${host}:${ports.http}/v2/health/live`;
  await untilReady(child, async (soon) => (await fetch(url, { signal: soon })).ok, listensWithinMs);
  return child;
};

/** The stub finds its Python by name on PATH and its packages through that Python's own prefix. */
const pythonEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH: `${places.venv}/bin:${env.PATH ?? ''}`,
  PYTHONNOUSERSITE: '1',
  ENHANCE_WEIGHTS: env.ENHANCE_WEIGHTS ?? places.weights,
  // Releases that were added lie outside of the repository.
  ENHANCE_INFERENCE: join(root, 'inference'),
  // numpy's systems of equations are small: more threads would only spin.
  OPENBLAS_NUM_THREADS: '1',
});

/** Shared memory of a server on this port that was killed: the running one makes its regions after this. */
const dropRegions = (prefix: string): void => {
  for (const name of readdirSync('/dev/shm')) {
    if (name.startsWith(prefix)) rmSync(join('/dev/shm', name), { force: true });
  }
};

/** A Triton that has crashed is seen by its keeper within a second; on a machine that is busy enough for a crash, later. */
const crashToldWithinMs = 10_000;

/**
 * 24.10 crashes where one of its Python processes gets no processor for a second (decision 86): on a busy machine twice in a
 * row (decision 175).
 */
export const mostStarts = 5;

/**
 * Starts the server and loads these models, at most `withinMs` each. A server that crashes meanwhile is started again, with one
 * model fewer at a time. Throws an Error that says why it could not be done, and leaves nothing running.
 */
export const startTritonWith = (
  options: TritonOptions,
  models: readonly string[],
  withinMs: number,
): Promise<Child> => {
  const { ports, host, env, signal = new AbortController().signal } = options;
  const address = { httpUrl: `http://${host}:${ports.http}`, adminSecret: env.TRITON_ADMIN_SECRET };
  return startLoaded(
    () => startTriton(options),
    (crashes) => loadModels(address, models, withinMs, signal, Math.max(1, loadAtOnce - crashes)),
    signal,
  );
};

/** Starts a server and loads its models, up to `mostStarts` times while it crashes. `load` is told how often it has crashed. */
export const startLoaded = async (
  start: () => Promise<Child>,
  load: (crashes: number) => Promise<void>,
  signal: AbortSignal,
  toldWithinMs = crashToldWithinMs,
): Promise<Child> => {
  for (let crashes = 0; ; crashes++) {
    const server = await start();
    try {
      await load(crashes);
      return server;
    } catch (error) {
      const crashed = await Promise.race([server.exited, sleep(toldWithinMs)]);
      await server.stop();
      if (!crashed || signal.aborted || crashes + 1 === mostStarts)
        throw new Error(`${error}\n${server.tail()}`, { cause: error });
    }
  }
};

/** Loading is mostly Python's imports, on one core each. */
const loadAtOnce = 4;
/** Triton gives connections that arrive together to one thread, which would load their models one after the other. */
const betweenConnectionsMs = 50;

/** Loads several models side by side: all eleven in 7 s on two cores, one after the other in 20 s. */
export const loadModels = async (
  address: TritonAddress,
  models: readonly string[],
  withinMs: number,
  signal: AbortSignal,
  atOnce = loadAtOnce,
): Promise<void> => {
  const left = [...models];
  const lane = async (_: unknown, index: number) => {
    await sleep(index * betweenConnectionsMs);
    for (let model = left.shift(); model !== undefined; model = left.shift())
      await loadModel(address, model, withinMs, signal);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
};

/** Loads a model. Throws an Error that says why Triton could not do so in time. */
export const loadModel = async (
  address: TritonAddress,
  model: string,
  withinMs: number,
  signal: AbortSignal,
): Promise<void> => {
  try {
    await openControl(address).load(model, withinMs, signal);
  } catch (error) {
    const { cause } = error instanceof Failure ? error : { cause: error };
    throw new Error(`Triton could not load ${model}: ${cause}`, { cause });
  }
};
