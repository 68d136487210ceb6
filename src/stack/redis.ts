/** The embedded Redis: every write in the append-only file, nothing evicted, because it holds the ledger. */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { environmentFor } from './allowed.ts';
import { type Child, startChild, untilReady } from './child.ts';
import { writePrivate } from './environment.ts';
import { places } from './home.mjs';

export type RedisOptions = {
  readonly port: number;
  /** Where the append-only file lies. */
  readonly dataDir: string;
  readonly logFile: string;
  /** Whoever does not send it is refused: any process of this machine reaches the port. */
  readonly password: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
};

/** What Redis runs with, here and in docker-compose.yml alike. */
export const redisArguments = (port: number): string[] => [
  ...['--port', `${port}`],
  ...['--appendonly', 'yes'],
  ...['--appendfsync', 'always'],
  ...['--maxmemory-policy', 'noeviction'],
  ...['--save', ''],
];

/** Starts redis-server and resolves when it answers. */
export const startRedis = async (options: RedisOptions): Promise<Child> => {
  const { port, dataDir, logFile, password, env, signal } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  chmodSync(dataDir, 0o700); // one that an earlier release made
  // In a file, as every account of the machine may read the arguments of a process.
  const secret = join(dataDir, 'redis.conf');
  writePrivate(secret, `requirepass ${password}\n`);
  const child = await startChild({
    name: 'Redis',
    command: places.redisServer,
    // Left to itself Redis writes its title over its environment, by which orphans.ts knows it.
    args: [
      secret,
      ...redisArguments(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      dataDir,
      '--set-proc-title',
      'no',
    ],
    env: environmentFor('Redis', env),
    cwd: dataDir,
    logFile,
    signal,
  });
  const client = new Redis({
    port,
    password,
    host: '127.0.0.1',
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
  });
  client.on('error', () => {}); // each failed try below says the same
  try {
    await untilReady(child, () => answers(client), 15_000);
  } finally {
    client.disconnect();
  }
  return child;
};

/** PING; while the append-only file is being read Redis answers LOADING, which throws. */
const answers = async (client: Redis): Promise<boolean> => {
  if (client.status !== 'ready') await client.connect();
  return (await client.ping()) === 'PONG';
};
