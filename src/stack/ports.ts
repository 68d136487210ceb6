/** The ports of the local stack, for `npm start`, docker-compose.yml and the test that compares the two. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentError } from '../environment/environment-error.ts';

export const defaultPorts = {
  PORT: 8080,
  REDIS_PORT: 6390,
  TRITON_HTTP_PORT: 8700,
  TRITON_GRPC_PORT: 8701,
  TRITON_METRICS_PORT: 8702,
} as const;

type PortName = keyof typeof defaultPorts;
export type Ports = Readonly<Record<PortName, number>>;
export type TritonPorts = {
  readonly http: number;
  readonly grpc: number;
  readonly metrics: number;
};

export const portNames: readonly PortName[] = [
  'PORT',
  'REDIS_PORT',
  'TRITON_HTTP_PORT',
  'TRITON_GRPC_PORT',
  'TRITON_METRICS_PORT',
];

/** The ports from the environment, with defaults. Throws an EnvironmentError with every value that is not a port. */
export const readPorts = (env: NodeJS.ProcessEnv): Ports => {
  const port = (name: PortName) => Number(env[name] || defaultPorts[name]);
  const ports = {
    PORT: port('PORT'),
    REDIS_PORT: port('REDIS_PORT'),
    TRITON_HTTP_PORT: port('TRITON_HTTP_PORT'),
    TRITON_GRPC_PORT: port('TRITON_GRPC_PORT'),
    TRITON_METRICS_PORT: port('TRITON_METRICS_PORT'),
  };
  const faults = portNames.filter(
    (name) => !(Number.isInteger(ports[name]) && ports[name] > 0 && ports[name] < 65_536),
  );
  if (faults.length)
    throw EnvironmentError.of(
      faults.map((name) => `${name}: Expected a port from 1 to 65535; got "${env[name]}"`),
    );
  const twice = portNames.filter((name) =>
    portNames.some((other) => other !== name && ports[other] === ports[name]),
  );
  if (twice.length)
    throw new EnvironmentError(
      `Expected different ports for ${twice.join(', ')}; got ${ports[twice[0] ?? 'PORT']} twice.`,
    );
  return ports;
};

/** Where a worker serves its metrics: METRICS_PORT for the first one, the port after it for the second; 0: nowhere. */
export const workerMetricsPort = (env: NodeJS.ProcessEnv, worker: number): number => {
  const first = Number(env.METRICS_PORT) || 0;
  return first > 0 ? first + worker - 1 : 0;
};

/** Throws an EnvironmentError where a worker could not serve its metrics, which would end it again and again. */
export const checkMetricsPorts = async (
  env: NodeJS.ProcessEnv,
  ports: Ports,
  workers: number,
): Promise<void> => {
  for (let worker = 1; worker <= workers; worker += 1) {
    const port = workerMetricsPort(env, worker);
    if (port === 0) return;
    const other = portNames.find((name) => ports[name] === port);
    const why = other ? `is ${other} too` : await whyTaken(port, env.METRICS_HOST || '127.0.0.1');
    if (why)
      throw EnvironmentError.of([
        `METRICS_PORT: worker ${worker} would serve its metrics on port ${port}, which ${why}`,
      ]);
  }
};

const whyTaken = async (port: number, host: string): Promise<string> => {
  try {
    return (await isFree(port, host)) ? '' : 'is in use';
  } catch (error) {
    return `cannot be used (${error instanceof Error ? error.message : error})`;
  }
};

/**
 * The ports that are in use, and still are after `withinMs`: PORT is tried on the API's address, the others on 127.0.0.1.
 * A process that was killed keeps its port until its memory is given back, which takes a busy machine a second.
 * Throws an EnvironmentError where nothing can listen: a port below 1024 without the right to it, an address of another machine.
 */
export const busyPorts = async (
  ports: Ports,
  apiHost: string,
  withinMs = 0,
): Promise<PortName[]> => {
  const look = async (): Promise<PortName[]> => {
    const free = await Promise.all(
      portNames.map(async (name) => {
        const isApi = name === 'PORT';
        try {
          return await isFree(ports[name], isApi ? apiHost : '127.0.0.1');
        } catch (error) {
          const why = error instanceof Error ? error.message : error;
          throw EnvironmentError.of([`${isApi ? 'HOST or PORT' : name}: ${why}`]);
        }
      }),
    );
    return portNames.filter((_, i) => !free[i]);
  };
  const until = performance.now() + withinMs;
  let busy = await look();
  while (busy.length > 0 && performance.now() < until) {
    await sleep(100);
    busy = await look();
  }
  return busy;
};

/** Whether nothing listens there. */
export const isFree = async (port: number, host: string): Promise<boolean> => {
  const server = createServer();
  try {
    await once(server.listen(port, host), 'listening');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  } finally {
    if (server.listening) await new Promise((done) => server.close(done));
  }
};
