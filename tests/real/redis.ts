/** A real Redis for tests: the run's shared one, or an own one for tests that stop or kill it. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { signalGroup } from '../../src/stack/child.ts';
import { startRedis } from '../../src/stack/redis.ts';
import { freePorts } from './ports.ts';
import { partEnvironment, tempDir } from './run.ts';
import { sharedPart } from './shared.ts';

export type RealRedis = { readonly url: string; close(): Promise<void> };

/** The shared server of the run; one that lives as long as this process when there is no run. */
export const realRedis = async (): Promise<RealRedis> => {
  const shared = await sharedPart('redis', z.object({ url: z.string() }));
  return shared ? { ...shared, close: async () => {} } : ownRedis();
};

type OwnRedis = RealRedis & {
  readonly port: number;
  /** Ends it as kill -9 does. */
  kill(): Promise<void>;
  /** Holds it still, connections and all, until `resume`. */
  pause(): void;
  resume(): void;
  /** Starts it again on the same port and the same data. */
  start(): Promise<void>;
};

/** A server of this test alone, with the append-only file of the local stack. */
export const ownRedis = async (): Promise<OwnRedis> => {
  const [port = 0] = await freePorts(1);
  const dataDir = tempDir('redis');
  const password = 'no-password-in-the-tests';
  const logFile = join(dataDir, 'redis.log');
  const options = { port, dataDir, logFile, password, env: partEnvironment() };
  let child = await startRedis(options);
  const atExit = () => signalGroup(child.pid, 'SIGKILL');
  process.once('exit', atExit);
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    port,
    kill: async () => {
      process.kill(child.pid, 'SIGKILL');
      await child.exited;
    },
    pause: () => void process.kill(child.pid, 'SIGSTOP'),
    resume: () => void process.kill(child.pid, 'SIGCONT'),
    start: async () => {
      child = await startRedis(options);
    },
    close: async () => {
      process.off('exit', atExit);
      await child.stop();
    },
  };
};

/** Key prefixes and queue names that no other test has. */
export const freshPrefix = (): string => `test-${randomUUID()}`;
