/** The environment of the local stack: generated secrets, addresses from the ports, all other variables as given. */
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { EnvironmentError } from '../environment/environment-error.ts';
import { withFiles } from '../environment/value-files.ts';
import { variables } from '../environment/variables.ts';
import { operations } from '../operations/all.ts';
import { places, root } from './home.mjs';
import type { Ports } from './ports.ts';

const host = '127.0.0.1';
const derived = ['REDIS_URL', 'TRITON_HTTP_URL', 'TRITON_GRPC_URL'] as const;

const dotEnv = (): NodeJS.Dict<string> => {
  const file = join(root, '.env');
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
};

/** The variables of the checkout's `.env`; those of `env` take precedence. The values of NAME_FILE are read. */
export const givenEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  withFiles({ ...dotEnv(), ...env }, variables(operations));

/** The names in the checkout's `.env` that `.env.example` lacks, so that nothing reads them. COMPOSE_* are Docker's. */
export const unknownNames = (given = dotEnv()): string[] => {
  const example = readFileSync(join(root, '.env.example'), 'utf8');
  const known = new Set([...example.matchAll(/^# (\w+)=/gm)].map(([, name]) => name));
  return Object.keys(given).filter(
    (name) => !name.startsWith('COMPOSE_') && !known.has(name.replace(/_FILE$/, '')),
  );
};

/** The environment of API, worker and the `enhance` command for a stack on these ports. */
export const stackEnvironment = (given: NodeJS.ProcessEnv, ports: Ports): NodeJS.ProcessEnv => {
  // The password is written into a URL and into redis.conf without escaping, so only a generated one is used.
  const settable = { ...given, REDIS_PASSWORD: '' };
  const { REDIS_PASSWORD, ...own } = secrets(join(places.data, 'secrets.env'), settable);
  const addresses = {
    REDIS_URL: `redis://:${REDIS_PASSWORD}@${host}:${ports.REDIS_PORT}`,
    TRITON_HTTP_URL: `http://${host}:${ports.TRITON_HTTP_PORT}`,
    TRITON_GRPC_URL: `${host}:${ports.TRITON_GRPC_PORT}`,
  };
  const faults = derived.filter((name) => given[name] && given[name] !== addresses[name]);
  if (faults.length)
    throw new EnvironmentError(
      `${faults.join(', ')}: npm start runs its own Redis and Triton. Unset these variables, or set the ports with REDIS_PORT, TRITON_HTTP_PORT and TRITON_GRPC_PORT. To use other servers, run \`npm run compile\`, then \`node dist/main.js api\` and \`node dist/main.js worker\`, or use docker-compose.yml.`,
    );
  return {
    ...given,
    ...addresses,
    PORT: `${ports.PORT}`,
    HOST: given.HOST || host,
    DATA_DIR: given.DATA_DIR || places.data,
    FFMPEG: given.FFMPEG || places.ffmpeg,
    FFPROBE: given.FFPROBE || places.ffprobe,
    PROVENANCE_PYTHON: given.PROVENANCE_PYTHON || places.python,
    TRITON_TRANSPORT: given.TRITON_TRANSPORT || localTransport(),
    // Somebody who presses Ctrl-C does not want to wait for long.
    WORKER_DRAIN_SECONDS: given.WORKER_DRAIN_SECONDS || '3',
    API_DRAIN_SECONDS: given.API_DRAIN_SECONDS || '3',
    TRITON_GRPC_DESCRIPTORS: given.TRITON_GRPC_DESCRIPTORS || places.grpcDescriptors,
    ...own,
    REDIS_PASSWORD,
  };
};

/** Shared memory is the fastest transport on one machine (docs/decisions/0004); it is used from 1 GiB free in /dev/shm. */
export const localTransport = (): 'shared-memory' | 'http' => {
  const { bavail, bsize } = statfsSync('/dev/shm');
  return bavail * bsize >= 1024 ** 3 ? 'shared-memory' : 'http';
};

/** Generated at the first start and kept for all later ones: with another pepper all API keys would be unknown. */
const secrets = (file: string, given: NodeJS.ProcessEnv): Record<string, string> => {
  const names = [
    ...['KEY_PEPPER', 'SIGNING_SECRET', 'ADMIN_KEY', 'TRITON_ADMIN_SECRET', 'REDIS_PASSWORD'],
  ];
  const kept = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
  const all = Object.fromEntries(
    names.map((name) => [name, kept[name] || randomBytes(32).toString('base64url')]),
  );
  if (names.some((name) => !kept[name])) writePrivate(file, lines(all));
  return Object.fromEntries(names.map((name) => [name, given[name] || (all[name] ?? '')]));
};

/** Writes a file that only its owner may read, in one step: a crash leaves the old file or the new one. */
export const writePrivate = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (cause) {
    // The error of a full disk names no path.
    throw new Error(`${file} could not be written: ${cause}`, { cause });
  }
};

/** Variables as the lines of an .env file. */
export const lines = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
