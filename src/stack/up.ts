/** `npm start`: the whole local stack in the foreground, until Ctrl-C. */
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../config.ts';
import { hostInUrl, listensEverywhere } from '../environment/host-in-url.ts';
import { operations } from '../operations/all.ts';
import { counted } from '../text/counted.ts';
import { developmentKey, keyFile, welcome } from './development.ts';
import {
  givenEnvironment,
  lines,
  stackEnvironment,
  unknownNames,
  writePrivate,
} from './environment.ts';
import { home, places } from './home.mjs';
import { take } from './lock.mjs';
import { markOf, stopOrphans } from './orphans.ts';
import {
  apiPart,
  defaultLogsDir,
  defaultModelsDir,
  redisPart,
  type Stack,
  tritonPart,
  workerPart,
} from './parts.ts';
import { busyPorts, checkMetricsPorts, defaultPorts, type Ports, readPorts } from './ports.ts';
import { untilServing } from './serving.ts';
import { SetupError } from './setup/setup-error.mjs';
import { type Supervised, supervise } from './supervise.ts';
import { readWorkers } from './workers.ts';

const run = join(places.run, 'start');

/** Runs the stack until it is stopped; resolves when all its processes have ended. */
export const up = async (): Promise<void> => {
  const given = givenEnvironment(process.env);
  const ports = readPorts(given);
  const workers = readWorkers(given);
  const lock = await take(`start of ${home}`);
  if (lock) await clearOrphans();
  await refuseBusyPorts(ports, given.HOST || '127.0.0.1', !lock);
  if (!lock)
    throw new SetupError(`npm start is already running in this folder (${home}). Stop it first.`);

  const env: NodeJS.ProcessEnv = {
    ...stackEnvironment(given, ports),
    ...markOf(run),
    DEVELOPMENT_KEY_PATH: keyFile,
  };
  loadConfig(env, operations); // what API and worker would refuse, before anything is started
  await checkMetricsPorts(env, ports, workers);
  if (!env.PUBLIC_URL && listensEverywhere(env.HOST ?? ''))
    say(
      `HOST is ${env.HOST}, but links to results begin with http://${hostInUrl(env.HOST)}:${ports.PORT}, which other machines cannot open: set PUBLIC_URL to the address that they use`,
    );
  for (const name of unknownNames()) say(`.env: nothing reads ${name}; .env.example has all names`);
  const stack: Stack = {
    ports,
    env,
    dataDir: env.DATA_DIR ?? places.data,
    logsDir: defaultLogsDir,
    modelsDir: defaultModelsDir,
  };
  keepPreviousLogs(stack.logsDir);
  const address = `http://${hostInUrl(env.HOST)}:${ports.PORT}`;
  writeAddresses(env, address);
  await serve(stack, workers, address);
};

const serve = async (stack: Stack, workers: number, address: string): Promise<void> => {
  const stopped = stopRequested();
  const redis = supervise(redisPart(stack), say);
  const triton = supervise(tritonPart(stack), say);
  const services: Supervised[] = [];
  let isEnding = false;
  const startServices = async () => {
    await redis.ready;
    // They would outlive this start: what it had started by then is what it stops.
    if (isEnding) throw new Error('the start was given up');
    const numbers = Array.from({ length: workers }, (_, before) => before + 1);
    const parts = [apiPart(stack), ...numbers.map((number) => workerPart(stack, number))];
    services.push(...parts.map((part) => supervise(part, say)));
    await Promise.all(services.map(({ ready }) => ready));
    return developmentKey(address, stack.env);
  };
  const start = async () => {
    const [key] = await Promise.all([startServices(), triton.ready]);
    await untilServing(address, say);
    process.stdout.write(`${welcome(address, key)}\n`);
    await stopped;
  };
  try {
    await Promise.race([start(), stopped]);
  } catch (cause) {
    throw new SetupError(`${cause}\n(logs: ${stack.logsDir})`, { cause });
  } finally {
    isEnding = true;
    say('stopping …');
    await Promise.all(services.map((part) => part.stop()));
    await Promise.all([triton.stop(), redis.stop()]);
    say('stopped.');
  }
};

/** Resolves at SIGINT (Ctrl-C), SIGTERM, SIGHUP (closed terminal), and when the npm that started this was killed. */
const stopRequested = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => resolve());
    const parent = process.ppid;
    const look = () => process.ppid !== parent && resolve();
    if (process.env.npm_lifecycle_event) setInterval(look, 1_000).unref();
  });

const refuseBusyPorts = async (ports: Ports, host: string, own: boolean): Promise<void> => {
  // Of an own stack that was just stopped they are soon free.
  const busy = await busyPorts(ports, host, own ? 0 : 3_000);
  if (busy.length === 0) return;
  const each = busy.map(
    (name) => `  port ${ports[name]} is in use; ${name} changes it (default ${defaultPorts[name]})`,
  );
  const whose = own
    ? `npm start is already running in this folder (${home}). Stop it first.\n`
    : '';
  throw new SetupError(`${whose}Nothing was started:\n${each.join('\n')}`);
};

const clearOrphans = async (): Promise<void> => {
  const count = await stopOrphans(run);
  if (count > 0)
    say(
      `stopped ${counted(count, 'process', 'processes')} that an earlier npm start left behind when it was killed`,
    );
};

/** The addresses of the running stack, for the `enhance` command. */
const writeAddresses = (env: NodeJS.ProcessEnv, address: string): void =>
  writePrivate(
    join(places.data, 'stack.env'),
    lines({
      ENHANCE_URL: address,
      REDIS_URL: env.REDIS_URL ?? '',
      TRITON_HTTP_URL: env.TRITON_HTTP_URL ?? '',
      TRITON_GRPC_URL: env.TRITON_GRPC_URL ?? '',
    }),
  );

const keepPreviousLogs = (folder: string): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700); // for a folder that an earlier release created
  for (const name of readdirSync(folder)) {
    if (name.endsWith('.log') && existsSync(join(folder, name)))
      renameSync(join(folder, name), join(folder, `${name}.previous`));
  }
};

const say = (line: string): void => {
  process.stderr.write(`  ${line}\n`);
};
