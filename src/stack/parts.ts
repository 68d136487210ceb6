/** The four processes of the local stack as parts to supervise. */
import { join } from 'node:path';
import { environmentFor } from './allowed.ts';
import { type Child, startChild, untilReady } from './child.ts';
import { places, root } from './home.mjs';
import type { Ports } from './ports.ts';
import { startRedis } from './redis.ts';
import type { Part } from './supervise.ts';
import { loadModels, models, startTriton } from './triton.ts';

export type Stack = {
  readonly ports: Ports;
  readonly env: NodeJS.ProcessEnv;
  readonly dataDir: string;
  readonly logsDir: string;
  readonly modelsDir: string;
};

const host = '127.0.0.1';
/** A network is compiled for the processor when it is loaded: seconds, and more while the machine is busy. */
const loadWithinMs = 180_000;

export const redisPart = ({ ports, env, dataDir, logsDir }: Stack): Part => ({
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

/** Triton counts as started when every model is loaded, after a crash too. */
export const tritonPart = ({ ports, env, logsDir, modelsDir }: Stack): Part => ({
  name: 'Triton',
  start: async (signal) => {
    const triton = await startTriton({
      ports: {
        http: ports.TRITON_HTTP_PORT,
        grpc: ports.TRITON_GRPC_PORT,
        metrics: ports.TRITON_METRICS_PORT,
      },
      host,
      modelsDirs: [modelsDir],
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
    } catch (error) {
      await triton.stop();
      throw new Error(`${error}\n${triton.tail()}`, { cause: error });
    }
    return triton;
  },
});

export const apiPart = (stack: Stack): Part => ({
  name: 'API',
  start: async (signal) => {
    const child = await startService(stack, 'api', signal);
    const url = `http://${connectable(stack.env.HOST)}:${stack.ports.PORT}/healthz`;
    await untilReady(child, async (soon) => (await fetch(url, { signal: soon })).ok, 60_000);
    return child;
  },
});

export const workerPart = (stack: Stack): Part => ({
  name: 'Worker',
  start: (signal) => startService(stack, 'worker', signal),
});

/** Where a client on this machine reaches a server that listens on `address`. */
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
    // The worker's grace time of 3 s and what ends after it, on a busy machine.
    stopWithinMs: 10_000,
    signal,
  });

export const defaultModelsDir = join(root, 'models');
export const defaultLogsDir = places.logs;
