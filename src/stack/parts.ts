/** The four processes of the local stack: Redis, Triton, API and worker. */
import { setMaxListeners } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { niceness } from '../niceness.ts';
import { environmentFor } from './allowed.ts';
import { type Child, startChild, untilReady, weighSession } from './child.ts';
import { places, root } from './home.mjs';
import type { Ports } from './ports.ts';
import { startRedis } from './redis.ts';
import type { StackPart } from './supervise.ts';
import { loadModels, models, startTriton } from './triton.ts';

/** What the processes of one local stack share. */
export type Stack = {
  readonly ports: Ports;
  readonly env: NodeJS.ProcessEnv;
  readonly dataDir: string;
  readonly logsDir: string;
  readonly modelsDir: string;
};

const host = '127.0.0.1';
/** Loading compiles a network for the processor: seconds each, more while the machine is busy. */
const loadWithinMs = 180_000;

/** Redis, ready when it answers PING. */
export const redisPart = ({ ports, env, dataDir, logsDir }: Stack): StackPart => ({
  name: 'Redis',
  start: (signal) =>
    startRedis({
      port: ports.REDIS_PORT,
      dataDir: join(dataDir, 'redis'),
      logFile: join(logsDir, 'redis.log'),
      password: env.REDIS_PASSWORD ?? '',
      env,
      signal,
    }),
});

/**
 * Triton counts as started when every model is loaded, also after a crash. One that crashes while it loads them is started
 * once more.
 */
export const tritonPart = (stack: Stack): StackPart => ({
  name: 'Triton',
  start: async (signal) => {
    // One listener for each model that is being loaded, and one of the process itself.
    setMaxListeners(2 * models.length + 5, signal);
    try {
      return await startLoaded(stack, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof Crash)) throw error;
      return startLoaded(stack, signal);
    }
  },
});

class Crash extends Error {}

const startLoaded = async (
  { ports, env, dataDir, logsDir, modelsDir }: Stack,
  signal: AbortSignal,
): Promise<Child> => {
  // As config.models.dir: releases that operators add.
  const addedDir = env.MODELS_DIR || join(dataDir, 'models');
  // Triton does not start where a folder of models is missing.
  mkdirSync(addedDir, { recursive: true });
  const triton = await startTriton({
    ports: {
      http: ports.TRITON_HTTP_PORT,
      grpc: ports.TRITON_GRPC_PORT,
      metrics: ports.TRITON_METRICS_PORT,
    },
    host,
    modelsDirs: [modelsDir, addedDir],
    logFile: join(logsDir, 'triton.log'),
    env,
    signal,
  });
  const address = {
    httpUrl: `http://${host}:${ports.TRITON_HTTP_PORT}`,
    adminSecret: env.TRITON_ADMIN_SECRET,
  };
  try {
    await loadModels(address, models, loadWithinMs, signal);
    // Not before: whoever starts the service waits for this.
    weighSession(triton.pid, niceness.models);
    return triton;
  } catch (error) {
    const ended = await Promise.race([triton.exited, sleep(crashToldWithinMs)]);
    await triton.stop();
    const said = `${error}\n${triton.tail()}`;
    throw ended ? new Crash(said, { cause: error }) : new Error(said, { cause: error });
  }
};

/** A Triton that has crashed is seen by its keeper within a second. */
const crashToldWithinMs = 3_000;

/** The API, ready when /healthz answers. */
export const apiPart = (stack: Stack): StackPart => ({
  name: 'API',
  start: async (signal) => {
    const child = await startService(stack, 'api', signal);
    const url = `http://${connectable(stack.env.HOST)}:${stack.ports.PORT}/healthz`;
    await untilReady(child, async (soon) => (await fetch(url, { signal: soon })).ok, 60_000);
    return child;
  },
});

/** The worker, ready when its process runs. */
export const workerPart = (stack: Stack): StackPart => ({
  name: 'Worker',
  start: (signal) => startService(stack, 'worker', signal),
});

/** The address at which this machine reaches a server that listens on `address`. */
export const connectable = (address: string | undefined): string =>
  !address || address === '0.0.0.0' || address === '::' ? host : address;

const startService = (
  { env, logsDir }: Stack,
  command: 'api' | 'worker',
  signal: AbortSignal,
): Promise<Child> =>
  startChild({
    name: command,
    command: process.execPath,
    args: ['--import', 'tsx', 'src/main.ts', command],
    env: environmentFor('service', env),
    cwd: root,
    logFile: join(logsDir, `${command}.log`),
    niceness: command === 'worker' ? niceness.worker : 0,
    stopWithinMs: (drainSeconds(command, env) + 7) * 1000,
    signal,
  });

/** How long it finishes what is under way once it was told to stop. */
const drainSeconds = (command: 'api' | 'worker', env: NodeJS.ProcessEnv): number =>
  Number(command === 'api' ? env.API_DRAIN_SECONDS : env.WORKER_DRAIN_SECONDS) || 0;

export const defaultModelsDir = join(root, 'models');
export const defaultLogsDir = places.logs;
