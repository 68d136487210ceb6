/** A real Triton for tests: the run's shared one with all models loaded, or an own one for tests that kill it. */
import { join } from 'node:path';
import { signalGroup } from '../../src/stack/child.ts';
import { root } from '../../src/stack/home.mjs';
import { freePorts } from '../../src/stack/ports.ts';
import { loadModel, models, startTriton } from '../../src/stack/triton.ts';
import { adminSecret, partEnvironment, tempDir } from './run.ts';

export type RealTriton = {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly adminSecret: string;
  close(): Promise<void>;
};

/** The service's models, and the small ones of tests (`echo` and the like), which a test loads itself. */
export const testModels = join(root, 'tests/triton/models');
export const repositories = [join(root, 'models'), testModels];

/** The shared server when `tests/run.ts` started one, else one that lives as long as this process. */
export const realTriton = async (): Promise<RealTriton> => {
  const { TEST_TRITON_HTTP_URL: httpUrl, TEST_TRITON_GRPC_URL: grpcUrl } = process.env;
  return httpUrl && grpcUrl
    ? { httpUrl, grpcUrl, adminSecret, close: async () => {} }
    : ownTriton();
};

export type OwnTriton = RealTriton & {
  /** Ends it as kill -9 does. */
  kill(): Promise<void>;
  /** Starts it again on the same ports with the same models. */
  start(): Promise<void>;
};

/** A server of this test alone, with the named models loaded. */
export const ownTriton = async (load: readonly string[] = models): Promise<OwnTriton> => {
  const [http = 0, grpc = 0, metrics = 0] = await freePorts(3);
  const httpUrl = `http://127.0.0.1:${http}`;
  const start = async () => {
    const child = await startTriton({
      ports: { http, grpc, metrics },
      host: '127.0.0.1',
      modelsDirs: repositories,
      logFile: join(tempDir('triton'), 'triton.log'),
      env: partEnvironment(),
    });
    try {
      for (const model of load)
        await loadModel({ httpUrl, adminSecret }, model, 180_000, new AbortController().signal);
    } catch (error) {
      const printed = child.tail();
      await child.stop();
      throw new Error(`${error}\n${printed}`, { cause: error });
    }
    return child;
  };
  let child = await start();
  const atExit = () => signalGroup(child.pid, 'SIGKILL');
  process.once('exit', atExit);
  return {
    httpUrl,
    adminSecret,
    grpcUrl: `127.0.0.1:${grpc}`,
    kill: async () => {
      process.kill(child.pid, 'SIGKILL');
      await child.exited;
    },
    start: async () => {
      child = await start();
    },
    close: async () => {
      process.off('exit', atExit);
      await child.stop();
    },
  };
};
