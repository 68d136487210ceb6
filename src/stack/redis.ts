/** The local Redis: every write goes to the append-only file and nothing is evicted, because it holds the ledger. */
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { makePrivateFolder } from '../make-folder.ts';
import { environmentFor } from './allowed.ts';
import { type Child, startChild, untilReady } from './child.ts';
import { writePrivate } from './environment.ts';
import { places } from './home.mjs';

type RedisOptions = {
  readonly port: number;
  /** The folder of the append-only file. */
  readonly dataDir: string;
  readonly logFile: string;
  /** Required from every client, because any process of this machine reaches the port. */
  readonly password: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
};

/** The arguments of Redis, the same in docker-compose.yml. */
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
  await makePrivateFolder(dataDir);
  // In a file, because every account of the machine can read the arguments of a process.
  const secret = join(dataDir, 'redis.conf');
  writePrivate(secret, `requirepass ${password}\n`);
  const child = await startChild({
    name: 'Redis',
    command: places.redisServer,
    // By default Redis overwrites its environment with its title, and orphans.ts needs the mark there.
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
  client.on('error', () => {}); // the failed calls below report the same errors
  try {
    await untilReady(child, () => answers(client), 60_000);
  } finally {
    client.disconnect();
  }
  return child;
};

/** PING. While Redis reads the append-only file it answers LOADING, which throws. */
const answers = async (client: Redis): Promise<boolean> => {
  if (client.status !== 'ready') await client.connect();
  return (await client.ping()) === 'PONG';
};
