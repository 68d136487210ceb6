/** The processes of the local stack: Redis, Triton, API and workers. */
import { setMaxListeners } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hostInUrl } from '../environment/host-in-url.ts';
import { makeFolder } from '../make-folder.ts';
import { niceness } from '../process/niceness.ts';
import { environmentFor } from './allowed.ts';
import { type Child, startChild, untilReady, weighSession } from './child.ts';
import { compiled, nodeOptions, workerOptions } from './compiled.mjs';
import { places, root } from './home.mjs';
import { type Ports, workerMetricsPort } from './ports.ts';
import { startRedis } from './redis.ts';
import type { StackPart } from './supervise.ts';
import { models, mostStarts, startTritonWith } from './triton.ts';

/** What the processes of one local stack share. */
export type Stack = {
  readonly ports: Ports;
  readonly env: NodeJS.ProcessEnv;
  readonly dataDir: string;
  readonly logsDir: string;
  readonly modelsDir: string;
};

const host = '127.0.0.1';
/** Loading compiles a network for the processor: seconds each, minutes where a dozen other programs compute. */
const loadWithinMs = 900_000;
/** The longest start of the API, which takes a second or two. One that ends is noticed at once. */
const answersWithinMs = 300_000;

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

/** Triton counts as started when every model is loaded, also after a crash. */
export const tritonPart = ({ ports, env, dataDir, logsDir, modelsDir }: Stack): StackPart => ({
  name: 'Triton',
  start: async (signal) => {
    // As config.models.dir: releases that operators add.
    const addedDir = env.MODELS_DIR || join(dataDir, 'models');
    // Triton does not start where a folder of models is missing.
    await makeFolder(addedDir);
    // A keeper that is killed leaves its copy of the models folder there.
    const temporary = join(places.run, 'triton');
    rmSync(temporary, { recursive: true, force: true });
    mkdirSync(temporary, { recursive: true, mode: 0o700 });
    // One listener for each model that is being loaded, in each start, and one of the process itself.
    setMaxListeners(mostStarts * (models.length + 1), signal);
    const options = {
      ports: {
        http: ports.TRITON_HTTP_PORT,
        grpc: ports.TRITON_GRPC_PORT,
        metrics: ports.TRITON_METRICS_PORT,
      },
      host,
      modelsDirs: [modelsDir, addedDir],
      logFile: join(logsDir, 'triton.log'),
      env: { ...env, TMPDIR: temporary },
      signal,
    };
    const triton = await startTritonWith(options, models, loadWithinMs);
    // Not before: the start of the service waits for this.
    weighSession(triton.pid, niceness.triton);
    return triton;
  },
});

/** The API, ready when /healthz answers. */
export const apiPart = (stack: Stack): StackPart => ({
  name: 'API',
  start: async (signal) => {
    const child = await startService(stack, 'api', signal);
    const url = `http://${hostInUrl(stack.env.HOST)}:${stack.ports.PORT}/healthz`;
    await untilReady(
      child,
      async (soon) => (await fetch(url, { signal: soon })).ok,
      answersWithinMs,
    );
    return child;
  },
});

/** A worker, ready when its process runs. The first one serves its metrics on METRICS_PORT, the second on the port after it, and so on. */
export const workerPart = (stack: Stack, number = 1): StackPart => ({
  name: number === 1 ? 'Worker' : `Worker ${number}`,
  start: (signal) => {
    const env = { ...stack.env, METRICS_PORT: `${workerMetricsPort(stack.env, number)}` };
    return startService({ ...stack, env }, 'worker', signal, number);
  },
});

const optionsOf = { api: nodeOptions, worker: workerOptions };

const startService = async (
  { env, logsDir }: Stack,
  command: 'api' | 'worker',
  signal: AbortSignal,
  number = 1,
): Promise<Child> =>
  startChild({
    name: command,
    command: process.execPath,
    args: [...optionsOf[command], await compiled('main'), command],
    env: environmentFor('service', env),
    cwd: root,
    logFile: join(logsDir, number === 1 ? `${command}.log` : `${command}-${number}.log`),
    niceness: command === 'worker' ? niceness.worker : 0,
    stopWithinMs: (drainSeconds(command, env) + 7) * 1000,
    signal,
  });

/** How long it finishes what is under way once it was told to stop. */
const drainSeconds = (command: 'api' | 'worker', env: NodeJS.ProcessEnv): number =>
  Number(command === 'api' ? env.API_DRAIN_SECONDS : env.WORKER_DRAIN_SECONDS) || 0;

export const defaultModelsDir = join(root, 'models');
export const defaultLogsDir = places.logs;
